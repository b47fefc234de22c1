// Why a stronger model has no such execution: steps that would each have to come before the next.

import type { Forbidden, Witness } from '../../protocol';
import type { Actions, Part } from './actions';
import { el } from './dom';

export function cycle(witness: Witness, { model, text, cycle }: Forbidden, actions: Actions): Part {
  const rows = cycle.map(({ from, text }) => {
    const step = witness.steps[from];
    const button = el(
      'button',
      { type: 'button', class: 'link', 'data-focus': `cycle-${from}`, title: 'Show this step' },
      `${witness.threads[step?.thread ?? 0] ?? ''}: ${step?.text ?? ''}`,
    );
    button.addEventListener('click', () => actions.moveTo(from + 1));
    button.addEventListener('pointerenter', () => actions.hover(from));
    button.addEventListener('pointerleave', () => actions.hover(null));
    return el('li', { value: from + 1 }, button, ' ', el('span', { class: 'relation' }, text));
  });
  const title = el('h3', {}, text.charAt(0).toUpperCase() + text.slice(1));
  return {
    element: el('section', { class: 'cycle', 'aria-label': `Why not under ${model}` }, title, el('ol', {}, ...rows)),
    showPosition(position) {
      rows.forEach((row, index) => row.classList.toggle('current', cycle[index]?.from === position - 1));
    },
  };
}
