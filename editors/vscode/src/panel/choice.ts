// Chooses the execution to show when the person has not: one that a condition asks for.

import { MODELS, type Model, type Outcomes, type Selector } from '../protocol';

export interface Chosen {
  model: Model;
  choice: Selector;
}

/** Fills in what was left open; a condition's index becomes the state that it means. */
export function firstChoice(outcomes: Outcomes | null, model: Model | undefined, choice: Selector): Chosen {
  if (isState(choice.outcome) || choice.failure !== undefined || choice.deadlock) {
    return { model: model ?? 'TSO', choice };
  }
  const condition = choice.condition ?? 0;
  const models = model ? [model] : MODELS;
  for (const candidate of models) {
    const found = outcomes?.models[candidate]?.outcomes.find((outcome) =>
      choice.outcome === undefined ? asksFor(outcomes, condition, outcome.holds) : outcome.index === choice.outcome,
    );
    if (found) {
      return { model: candidate, choice: { outcome: found.state } };
    }
  }
  return anyOutcome(outcomes, models) ?? { model: model ?? 'SC', choice: { condition } };
}

/** Whether an outcome answers the condition: for `forall`, one that breaks it. */
export function asksFor(outcomes: Outcomes, condition: number, holds: readonly (boolean | null)[]): boolean {
  return holds[condition] === (outcomes.conditions[condition]?.quantifier !== 'forall');
}

function anyOutcome(outcomes: Outcomes | null, models: readonly Model[]): Chosen | undefined {
  for (const model of models) {
    const result = outcomes?.models[model];
    if (result?.failures[0]) {
      return { model, choice: { failure: result.failures[0].index } };
    }
    if (result?.outcomes[0]) {
      return { model, choice: { outcome: result.outcomes[0].state } };
    }
  }
  return undefined;
}

function isState(outcome: Selector['outcome']): boolean {
  return typeof outcome === 'object';
}
