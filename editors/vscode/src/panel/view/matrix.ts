// The outcome × model matrix: shows which model reaches what, and chooses the execution to show.

import { MODELS, type Model, type ModelResult, type Outcomes, type Selector, type State } from '../../protocol';
import type { Selection } from '../messages';
import type { Actions, Part } from './actions';
import { el, hidden } from './dom';
import { moveFocusInGrid } from './gridKeys';

interface Row {
  label: string;
  mark: string;
  choice: Selector;
  /** Whether the model has this row; undefined when its check has not settled that. */
  reached(model: Model): boolean | undefined;
}

export function matrix(outcomes: Outcomes, selection: Selection, actions: Actions): Part {
  const models = MODELS.filter((model) => outcomes.models[model]);
  const rows = [...outcomeRows(outcomes), ...failureRows(outcomes), ...deadlockRows(outcomes)];
  const table = el(
    'table',
    { class: 'matrix', 'aria-label': 'Outcomes and the models that reach them' },
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        el('th', { scope: 'col' }, 'outcome'),
        ...models.map((model) => el('th', { scope: 'col', class: 'model' }, model, staleMark(outcomes, model))),
        el('td', {}),
      ),
    ),
    el('tbody', {}, ...rows.map((row) => tableRow(row, models, selection, actions))),
  );
  table.addEventListener('keydown', moveFocusInGrid);
  const first = table.querySelector<HTMLElement>('button[aria-pressed="true"]') ?? table.querySelector('button');
  first?.setAttribute('tabindex', '0');
  return { element: el('section', { 'aria-label': 'Outcomes' }, el('div', { class: 'scroll' }, table)) };
}

function tableRow(row: Row, models: readonly Model[], selection: Selection, actions: Actions): HTMLElement {
  const chosen = sameChoice(row.choice, selection.choice);
  return el(
    'tr',
    { class: chosen ? 'chosen' : undefined },
    el('th', { scope: 'row' }, row.label),
    ...models.map((model) => el('td', { class: 'model' }, cell(row, model, chosen && model === selection.model, actions))),
    el('td', { class: 'mark' }, row.mark),
  );
}

function cell(row: Row, model: Model, chosen: boolean, actions: Actions): HTMLElement {
  const reached = row.reached(model);
  if (reached === undefined) {
    return el('span', { title: `Not known yet under ${model}` }, '?', hidden('not known yet'));
  }
  if (!reached) {
    return el('span', { class: 'never', title: `Never under ${model}` }, '–', hidden('never'));
  }
  const button = el(
    'button',
    {
      type: 'button',
      tabindex: -1,
      'aria-pressed': chosen ? 'true' : 'false',
      'data-focus': `matrix:${model}:${row.label}`,
      title: `Show an execution under ${model} that ends so`,
      'aria-label': `${row.label} under ${model}: reachable. Show an execution.`,
    },
    '✓',
  );
  button.addEventListener('click', () => actions.select(model, row.choice));
  return button;
}

function outcomeRows(outcomes: Outcomes): Row[] {
  const rows = new Map<string, Row>();
  for (const model of MODELS) {
    for (const outcome of outcomes.models[model]?.outcomes ?? []) {
      const label = stateLabel(outcome.state);
      if (!rows.has(label)) {
        rows.set(label, {
          label,
          mark: conditionMark(outcomes, outcome.holds),
          choice: { outcome: outcome.state },
          reached: (asked) => isReached(outcomes.models[asked], label),
        });
      }
    }
  }
  return [...rows.values()].sort((left, right) => left.label.localeCompare(right.label, 'en', { numeric: true }));
}

function failureRows(outcomes: Outcomes): Row[] {
  const rows = new Map<string, Row>();
  for (const model of MODELS) {
    for (const failure of outcomes.models[model]?.failures ?? []) {
      const line = failure.range ? ` (line ${failure.range.start.line + 1})` : '';
      const label = `${failure.message}${line}`;
      if (!rows.has(label)) {
        rows.set(label, {
          label,
          mark: '← failure',
          choice: { failure: failure.index },
          reached: (asked) => settled(outcomes.models[asked], (result) => result.failures.some((f) => f.message === failure.message)),
        });
      }
    }
  }
  return [...rows.values()];
}

function deadlockRows(outcomes: Outcomes): Row[] {
  if (!MODELS.some((model) => outcomes.models[model]?.deadlock)) {
    return [];
  }
  const reached = (asked: Model): boolean | undefined => settled(outcomes.models[asked], (result) => result.deadlock);
  return [{ label: 'all threads wait for ever', mark: '← deadlock', choice: { deadlock: true }, reached }];
}

function isReached(result: ModelResult | undefined, label: string): boolean | undefined {
  return settled(result, ({ outcomes }) => outcomes.some((outcome) => stateLabel(outcome.state) === label));
}

/** What was seen is certain; what was not seen is certain only when everything was explored. */
function settled(result: ModelResult | undefined, seen: (result: ModelResult) => boolean): boolean | undefined {
  if (!result) {
    return undefined;
  }
  return seen(result) || (result.complete ? false : undefined);
}

function conditionMark(outcomes: Outcomes, holds: readonly (boolean | null)[]): string {
  const named = outcomes.conditions.filter((condition) => holds[condition.index]);
  const several = outcomes.conditions.length > 1;
  return named.map((c) => `← ${c.quantifier}${several ? ` ${c.name ?? c.index + 1}` : ''}`).join(' ');
}

export function stateLabel(state: State): string {
  const parts = Object.entries(state).map(([name, value]) => `${name}=${value}`);
  return parts.join('  ') || 'the end (nothing is observed)';
}

function sameChoice(left: Selector, right: Selector): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Only while some models are fresh and some are not: else the heading says it for all. */
function staleMark(outcomes: Outcomes, model: Model): HTMLElement | null {
  const fresh = MODELS.some((other) => outcomes.models[other] && !outcomes.models[other].stale);
  return fresh && outcomes.models[model]?.stale ? el('span', { class: 'stale', title: 'Of an earlier text' }, ' stale') : null;
}
