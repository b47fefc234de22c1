// All steps in order, one column a thread: a list to choose from with pointer or arrow keys.

import type { Step, Witness } from '../../protocol';
import type { Actions, Part } from './actions';
import { el } from './dom';
import { describeStep } from './narration';

export function steps(witness: Witness, actions: Actions): Part {
  const rows = witness.steps.map((step) => stepRow(witness, step, actions));
  const list = el(
    'div',
    { role: 'listbox', class: 'steps', tabindex: 0, 'aria-label': 'Steps in order. Enter goes to the source.', 'data-focus': 'steps' },
    heading(witness),
    ...rows,
  );
  let position = 0;
  list.addEventListener('keydown', (event) => {
    const target = keyTarget(event.key, position, rows.length);
    if (target !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      actions.moveTo(target);
    } else if (event.key === 'Enter' && position > 0) {
      actions.goto(position - 1);
    }
  });
  list.addEventListener('pointerleave', () => actions.hover(null));
  return {
    element: el('section', { 'aria-label': 'All steps', class: 'all-steps' }, list),
    showPosition(now) {
      position = now;
      rows.forEach((row, index) => {
        row.setAttribute('aria-selected', String(index === now - 1));
        row.classList.toggle('future', index >= now);
      });
      const current = rows[now - 1];
      list.setAttribute('aria-activedescendant', current?.id ?? '');
      if (current) {
        keepInView(list, current);
      }
    },
    showCursor(atCursor) {
      rows.forEach((row, index) => row.classList.toggle('at-cursor', atCursor.has(index)));
    },
  };
}

/** Scrolls the list only: the rest of the panel stays where it is. */
function keepInView(list: HTMLElement, row: HTMLElement): void {
  const above = row.offsetTop - list.offsetTop - row.offsetHeight;
  const below = row.offsetTop - list.offsetTop + 2 * row.offsetHeight - list.clientHeight;
  if (list.scrollTop > above) {
    list.scrollTop = above;
  } else if (list.scrollTop < below) {
    list.scrollTop = below;
  }
}

function keyTarget(key: string, position: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(position + 1, last);
    case 'ArrowUp':
      return Math.max(position - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

function heading(witness: Witness): HTMLElement {
  const names = witness.threads.map((name) => el('span', { class: 'cell' }, name));
  return el('div', { class: 'row heading', 'aria-hidden': 'true' }, el('span', { class: 'number' }, 'step'), ...names);
}

function stepRow(witness: Witness, step: Step, actions: Actions): HTMLElement {
  const position = step.index + 1;
  const row = el(
    'div',
    {
      role: 'option',
      class: `row ${step.kind}`,
      id: `step-${step.index}`,
      'data-step': step.index,
      'aria-label': `Step ${position}: ${describeStep(witness, position)}`,
      title: 'Click to show this step, double-click to go to its line',
    },
    el('span', { class: 'number' }, String(position)),
    ...witness.threads.map((_, index) => el('span', { class: 'cell' }, index === step.thread ? step.text : '')),
  );
  row.addEventListener('click', () => actions.moveTo(position));
  row.addEventListener('dblclick', () => actions.goto(step.index));
  row.addEventListener('pointerenter', () => actions.hover(step.index));
  return row;
}
