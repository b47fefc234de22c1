// Why a stronger model has no such execution: steps that would each have to come before the next.

import type { EdgeKind, Forbidden, Witness } from '../../protocol';
import type { Actions, Part } from './actions';
import { el } from './dom';

/** As the legend of the graph says it. */
const WORDS: Record<EdgeKind, string> = {
  po: 'program order',
  rf: 'is read by',
  co: 'overwritten by',
  fr: 'reads before',
};

export function cycle(witness: Witness, { model, cycle }: Forbidden, actions: Actions): Part {
  const rows = cycle.map(({ from, kind }) => {
    const step = witness.steps[from];
    const button = el(
      'button',
      { type: 'button', class: 'link', 'data-focus': `cycle-${from}`, title: 'Show this step' },
      `${witness.threads[step?.thread ?? 0] ?? ''}: ${step?.text ?? ''}`,
    );
    button.addEventListener('click', () => actions.moveTo(from + 1));
    button.addEventListener('pointerenter', () => actions.hover(from));
    button.addEventListener('pointerleave', () => actions.hover(null));
    return el('li', {}, button, ' ', el('span', { class: `relation ${kind}` }, WORDS[kind]));
  });
  const title = el('h3', {}, `Not under ${model}: a cycle, each before the next`);
  return {
    element: el('section', { class: 'cycle', 'aria-label': `Why not under ${model}` }, title, el('ol', {}, ...rows)),
    showPosition(position) {
      rows.forEach((row, index) => row.classList.toggle('current', cycle[index]?.from === position - 1));
    },
  };
}
