// What the witness panel and the extension say to each other.

import type { Model, Outcomes, Selector, Witness } from '../protocol';

/** What the panel shows: enough to open it again as it was. */
export interface Selection {
  uri: string;
  model: Model;
  choice: Selector;
  /** How many steps have run: 0 is the start. */
  position: number;
}

/** Everything the panel needs to draw itself. */
export interface Picture {
  selection: Selection;
  outcomes: Outcomes | null;
  /** Null: the chosen outcome does not happen under the chosen model, or is not known yet. */
  witness: Witness | null;
  svg: string | null;
  /** Why there is nothing to draw, for people. */
  notice: string | null;
}

export type ToPanel =
  | { type: 'picture'; picture: Picture }
  | { type: 'cursor'; line: number | null }
  | { type: 'move'; by: number };

export type FromPanel =
  | { type: 'ready' }
  | { type: 'select'; model: Model; choice: Selector }
  | { type: 'position'; position: number }
  | { type: 'hover'; step: number | null }
  | { type: 'goto'; step: number }
  | { type: 'copyCommandLine' };
