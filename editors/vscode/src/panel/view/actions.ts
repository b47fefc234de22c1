// What the parts of the panel can ask for.

import type { Model, Selector } from '../../protocol';

export interface Actions {
  select(model: Model, choice: Selector): void;
  moveTo(position: number): void;
  hover(step: number | null): void;
  goto(step: number): void;
  copyCommandLine(): void;
}

/** A part that shows the position and the cursor's line without being built anew. */
export interface Part {
  element: HTMLElement;
  showPosition?(position: number): void;
  /** `steps` are those of the cursor's line. */
  showCursor?(steps: ReadonlySet<number>): void;
}
