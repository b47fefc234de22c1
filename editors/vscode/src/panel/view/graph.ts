// The execution graph: the server's SVG, cleaned, coloured by the style sheet, linked to the steps.

import type { Actions, Part } from './actions';
import { el } from './dom';

const LEGEND: readonly [relation: string, meaning: string][] = [
  ['po', 'program order: the order in the text'],
  ['rf', 'reads from: which store a read saw'],
  ['co', 'coherence: the order in which stores reach memory'],
  ['fr', 'from-read: the read came before that store'],
];

export function graph(svg: string, actions: Actions): Part {
  const picture = parse(svg);
  const figure = el('figure', {}, picture ?? 'The graph could not be read.', legend());
  const events = [...figure.querySelectorAll<SVGElement>('[data-step]')];
  for (const event of events) {
    const step = Number(event.dataset['step']);
    event.addEventListener('click', () => actions.moveTo(step + 1));
    event.addEventListener('pointerenter', () => actions.hover(step));
    event.addEventListener('pointerleave', () => actions.hover(null));
  }
  return {
    element: el('section', { 'aria-label': 'Execution graph', class: 'graph' }, figure),
    showPosition(position) {
      for (const event of events) {
        const step = Number(event.dataset['step']);
        event.classList.toggle('current', step === position - 1);
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
  root.querySelectorAll('script, style, foreignObject, image, a').forEach((element) => element.remove());
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

function legend(): HTMLElement {
  const entries = LEGEND.flatMap(([relation, meaning]) => [
    el('dt', { class: relation }, relation),
    el('dd', {}, meaning),
  ]);
  return el('figcaption', {}, el('dl', { class: 'legend' }, ...entries));
}
