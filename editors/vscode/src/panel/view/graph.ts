// The execution graph: the server's SVG, cleaned, coloured by the style sheet, linked to the steps.

import type { Witness } from '../../protocol';
import type { Actions, Part } from './actions';
import { el } from './dom';

export function graph(svg: string, witness: Witness, actions: Actions): Part {
  const figure = el('figure', {}, parse(svg) ?? 'The graph could not be read.');
  // Initial writes are events without a step.
  const events = [...figure.querySelectorAll<SVGElement>('[data-step]:not([data-step=""])')];
  for (const event of events) {
    const step = Number(event.dataset['step']);
    event.addEventListener('click', () => actions.moveTo(step + 1));
    event.addEventListener('pointerenter', () => actions.hover(step));
    event.addEventListener('pointerleave', () => actions.hover(null));
  }
  return {
    element: el('section', { 'aria-label': 'Execution graph', class: 'graph' }, figure),
    showPosition(position) {
      // A flush has no event of its own: it belongs to its store.
      const now = witness.steps[position - 1];
      const current = now?.store ?? now?.index;
      for (const event of events) {
        const step = Number(event.dataset['step']);
        event.classList.toggle('current', step === current);
        event.classList.toggle('future', step >= position);
      }
    },
    showCursor(atCursor) {
      events.forEach((event) => event.classList.toggle('at-cursor', atCursor.has(Number(event.dataset['step']))));
    },
  };
}

/** What could run or style by itself is dropped: the panel's policy forbids it anyway. */
function parse(svg: string): SVGElement | null {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  if (root.nodeName !== 'svg') {
    return null;
  }
  root.querySelectorAll('script, style, foreignObject, image, a, .title').forEach((element) => element.remove());
  for (const element of [root, ...root.querySelectorAll('*')]) {
    for (const { name } of [...element.attributes]) {
      if (name.startsWith('on') || name === 'style' || name.endsWith('href')) {
        element.removeAttribute(name);
      }
    }
  }
  const picture = document.importNode(root, true) as unknown as SVGElement;
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', 'Execution graph: the events of each thread and how they are ordered. The steps say the same in words.');
  return picture;
}
