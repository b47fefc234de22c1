// The witness panel's page: draws the picture it is sent and tells the extension what the person does.

import type { FromPanel, Picture, Selection, ToPanel } from '../messages';
import type { Actions, Part } from './actions';
import { cycle } from './cycle';
import { el } from './dom';
import { graph } from './graph';
import { machine } from './machine';
import { matrix } from './matrix';
import { describeStep } from './narration';
import { stepper } from './stepper';
import { steps } from './steps';

declare function acquireVsCodeApi(): {
  postMessage(message: FromPanel): void;
  setState(state: Selection): void;
};

const editor = acquireVsCodeApi();
const root = document.getElementById('root');
const announcer = document.getElementById('announcer');
let picture: Picture | undefined;
let parts: Part[] = [];
let cursorLine: number | null = null;

const actions: Actions = {
  select: (model, choice) => editor.postMessage({ type: 'select', model, choice }),
  moveTo,
  hover: (step) => editor.postMessage({ type: 'hover', step }),
  goto: (step) => editor.postMessage({ type: 'goto', step }),
  copyCommandLine: () => editor.postMessage({ type: 'copyCommandLine' }),
};

window.addEventListener('message', ({ data }: MessageEvent<ToPanel>) => {
  switch (data.type) {
    case 'picture':
      draw(data.picture);
      break;
    case 'cursor':
      cursorLine = data.line;
      showCursor();
      break;
    case 'move':
      moveTo((picture?.selection.position ?? 0) + data.by);
      break;
  }
});

/** Arrow keys step from anywhere in the panel where they have no other meaning. */
window.addEventListener('keydown', (event) => {
  const taken = event.target instanceof HTMLInputElement || event.defaultPrevented;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by && !taken && !event.ctrlKey && !event.altKey && !event.metaKey) {
    event.preventDefault();
    moveTo((picture?.selection.position ?? 0) + by);
  }
});

function draw(next: Picture): void {
  const focus = document.activeElement?.getAttribute('data-focus');
  picture = next;
  editor.setState(next.selection);
  const { outcomes, witness, svg, notice, selection } = next;
  parts = [
    ...(outcomes ? [matrix(outcomes, selection, actions)] : []),
    ...(witness ? [stepper(witness, actions), machine(witness), steps(witness, actions)] : []),
    ...(witness && svg ? [graph(svg, witness, actions)] : []),
    ...(witness?.forbidden ? [cycle(witness, witness.forbidden, actions)] : []),
  ];
  const [first, ...rest] = parts.map((part) => part.element);
  root?.replaceChildren(
    header(next),
    ...(outcomes && first ? [first] : []),
    ...(notice ? [el('p', { class: 'notice', role: 'note' }, notice)] : []),
    ...(witness ? [title(next)] : []),
    ...(outcomes ? rest : parts.map((part) => part.element)),
  );
  showPosition();
  showCursor();
  if (focus) {
    [...document.querySelectorAll<HTMLElement>('[data-focus]')].find((it) => it.dataset['focus'] === focus)?.focus();
  }
}

function header({ outcomes, witness }: Picture): HTMLElement {
  const stale = outcomes?.stale || witness?.stale;
  const checking = outcomes?.state === 'checking';
  return el(
    'header',
    {},
    el('h1', {}, outcomes?.name || 'Witness'),
    checking ? el('span', { class: 'badge' }, 'checking …') : null,
    stale ? staleBadge(witness?.version === outcomes?.version) : null,
  );
}

function staleBadge(sameText: boolean): HTMLElement {
  const [text, title] = sameText
    ? ['stale: found with other settings', 'The settings or a parameter have changed since this was checked']
    : ['stale: of an earlier text', 'The text has changed since this was checked'];
  return el('span', { class: 'badge stale', title }, text);
}

function title({ witness }: Picture): HTMLElement {
  const copy = el('button', { type: 'button', class: 'link', 'data-focus': 'copy' }, 'Copy as command line');
  copy.addEventListener('click', () => actions.copyCommandLine());
  return el('div', { class: 'title' }, el('h2', {}, `How it happens: ${witness?.title ?? ''}`), copy);
}

function moveTo(position: number): void {
  if (!picture?.witness) {
    return;
  }
  const clamped = Math.max(0, Math.min(position, picture.witness.steps.length));
  if (clamped === picture.selection.position) {
    return;
  }
  picture.selection.position = clamped;
  editor.setState(picture.selection);
  editor.postMessage({ type: 'position', position: clamped });
  showPosition();
  announce(describeStep(picture.witness, clamped));
}

function showPosition(): void {
  const position = picture?.selection.position ?? 0;
  parts.forEach((part) => part.showPosition?.(position));
}

function showCursor(): void {
  const atCursor = new Set(
    (picture?.witness?.steps ?? []).filter((step) => covers(step.range, cursorLine)).map((step) => step.index),
  );
  parts.forEach((part) => part.showCursor?.(atCursor));
}

function covers(range: { start: { line: number }; end: { line: number } } | null, line: number | null): boolean {
  return range !== null && line !== null && range.start.line <= line && line <= range.end.line;
}

/** The slider and the list speak for themselves while they have the focus. */
function announce(text: string): void {
  const focus = document.activeElement?.getAttribute('data-focus');
  if (announcer && focus !== 'slider' && focus !== 'steps') {
    announcer.textContent = text;
  }
}

editor.postMessage({ type: 'ready' });
