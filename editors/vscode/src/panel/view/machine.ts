// The machine after a step: each thread's store buffer and the memory, with what changed marked.

import type { State, Step, Value, Witness } from '../../protocol';
import type { Part } from './actions';
import { el, hidden } from './dom';

export function machine(witness: Witness): Part {
  const table = el('table', { class: 'machine', 'aria-label': 'Store buffers and memory after this step' });
  return {
    element: el('section', { 'aria-label': 'Machine' }, el('div', { class: 'scroll' }, table)),
    showPosition(position) {
      table.replaceChildren(...rows(witness, position));
    },
  };
}

function rows(witness: Witness, position: number): HTMLElement[] {
  const step = witness.steps[position - 1];
  const active = step?.thread;
  const threads = el(
    'tr',
    {},
    el('td', {}),
    ...witness.threads.map((name, index) => el('th', { scope: 'col', class: index === active ? 'active' : undefined }, name)),
  );
  const buffers = el(
    'tr',
    {},
    el('th', { scope: 'row' }, 'store buffer'),
    ...witness.threads.map((_, index) => el('td', {}, ...bufferCells(witness, step, index))),
  );
  const memory = el(
    'tr',
    {},
    el('th', { scope: 'row' }, 'memory'),
    el('td', { colspan: witness.threads.length, class: 'memory' }, ...memoryCells(step?.memory ?? witness.initial, step)),
  );
  const finished = position === witness.steps.length && Object.keys(witness.registers).length > 0;
  return finished ? [threads, buffers, memory, registerRow(witness)] : [threads, buffers, memory];
}

function bufferCells(witness: Witness, step: Step | undefined, thread: number): (HTMLElement | string)[] {
  if (witness.model === 'SC') {
    return [el('span', { class: 'quiet' }, 'none under SC')];
  }
  const name = witness.threads[thread] ?? '';
  const entries = step?.buffers[thread] ?? [];
  if (entries.length === 0) {
    return [el('span', { class: 'quiet' }, 'empty')];
  }
  const lastOf = new Map(entries.map(({ location }, index) => [location, index]));
  return entries.map(({ location, value }, index) => {
    const added = step?.kind !== 'flush' && step?.thread === thread && lastOf.get(location) === index;
    return box(location, value, added && (step?.changed.includes(`buffer:${name}:${location}`) ?? false));
  });
}

function memoryCells(memory: State, step: Step | undefined): HTMLElement[] {
  return Object.entries(memory).map(([location, value]) =>
    box(location, value, step?.changed.includes(`memory:${location}`) ?? false),
  );
}

function registerRow(witness: Witness): HTMLElement {
  const cells = Object.entries(witness.registers).map(([register, value]) => box(register, value, false));
  return el(
    'tr',
    {},
    el('th', { scope: 'row' }, 'at the end'),
    el('td', { colspan: witness.threads.length }, ...cells),
  );
}

function box(name: string, value: Value, changed: boolean): HTMLElement {
  return el(
    'span',
    { class: changed ? 'box changed' : 'box' },
    `${name} = ${value}`,
    changed ? hidden(' (changed)') : null,
  );
}
