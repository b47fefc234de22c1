// The step slider with its buttons, and a line that says what the step does.

import type { Witness } from '../../protocol';
import type { Actions, Part } from './actions';
import { el } from './dom';
import { describeStep } from './narration';

export function stepper(witness: Witness, actions: Actions): Part {
  const last = witness.steps.length;
  let position = 0;
  const slider = el('input', {
    type: 'range',
    min: 0,
    max: last,
    step: 1,
    'aria-label': 'Step',
    'data-focus': 'slider',
  });
  slider.addEventListener('input', () => actions.moveTo(Number(slider.value)));
  const button = (label: string, symbol: string, target: () => number): HTMLButtonElement => {
    const made = el('button', { type: 'button', title: label, 'aria-label': label, 'data-focus': label }, symbol);
    made.addEventListener('click', () => actions.moveTo(target()));
    return made;
  };
  const toStart = button('To the start', '|◀', () => 0);
  const back = button('One step back', '◀', () => position - 1);
  const forward = button('One step on', '▶', () => position + 1);
  const toEnd = button('To the end', '▶|', () => last);
  const caption = el('p', { class: 'caption' });

  return {
    element: el(
      'section',
      { class: 'stepper', 'aria-label': 'Steps' },
      el('div', { class: 'controls' }, toStart, back, slider, forward, toEnd),
      caption,
    ),
    showPosition(now) {
      position = now;
      slider.value = String(now);
      const description = describeStep(witness, now);
      slider.setAttribute('aria-valuetext', description);
      caption.replaceChildren(el('b', {}, now === 0 ? 'Start' : `Step ${now} of ${last}`), ` ${description}`);
      toStart.disabled = back.disabled = now === 0;
      toEnd.disabled = forward.disabled = now === last;
    },
  };
}
