// What `fencepost lsp` adds to the Language Server Protocol, as server/PROTOCOL.md defines it.

import type { Range } from 'vscode-languageclient';

export type Model = 'SC' | 'TSO' | 'PSO';
export type CheckState = 'idle' | 'checking' | 'done' | 'unfinished' | 'cancelled' | 'failed';
export type Verdict = 'never' | 'sometimes' | 'always' | 'unknown';

/** A number, or a string for what a JSON number cannot hold, or a location's name for its address. */
export type Value = number | string;
export type State = Record<string, Value>;

export interface Outcome {
  index: number;
  state: State;
  holds: boolean[];
  classes: number;
}

export interface Failure {
  range: Range | null;
  message: string;
  classes: number;
  index: number;
}

export interface ModelResult {
  state: CheckState;
  version: number | null;
  stale: boolean;
  complete: boolean;
  engine: string;
  classes: number;
  blocked: number;
  deadlocks: number;
  timeUs: number;
  note: string | null;
  verdicts: ({ verdict: Verdict; holds: number; of: number } | null)[];
  outcomes: Outcome[];
  failures: Failure[];
  deadlock: boolean;
}

export interface Condition {
  index: number;
  range: Range;
  text: string;
  quantifier: 'exists' | '~exists' | 'forall';
  name: string | null;
}

export interface Expectation {
  condition: number;
  model: Model;
  expected: Verdict;
  found: Verdict | null;
  ok: boolean | null;
  range: Range;
}

/** A `param` of the test; `value` is null while the test has errors. */
export interface Param {
  name: string;
  value: Value | null;
  written: string;
  overridden: boolean;
  set: boolean;
  range: Range;
}

export interface Outcomes {
  uri: string;
  version: number;
  stale: boolean;
  state: CheckState;
  name: string;
  dialect: string;
  errors: number;
  params: Param[];
  observed: string[];
  conditions: Condition[];
  models: Partial<Record<Model, ModelResult>>;
  expect: Expectation[];
}

/** Which execution is meant: the first field that is there decides. */
export interface ExecutionChoice {
  outcome?: number | State;
  condition?: number;
  failure?: number;
  deadlock?: boolean;
}

export interface ExecutionParams extends ExecutionChoice {
  textDocument: { uri: string };
  model: Model;
}

export type StepKind = 'read' | 'write' | 'flush' | 'rmw' | 'fence' | 'lock' | 'unlock' | 'stop';

export interface Step {
  index: number;
  thread: number;
  kind: StepKind;
  text: string;
  range: Range | null;
  location: string | null;
  value: Value | null;
  source: 'initial' | number | null;
  store: number | null;
  buffers: { location: string; value: Value }[][];
  memory: State;
  changed: string[];
}

export interface Witness {
  uri: string;
  version: number;
  stale: boolean;
  model: Model;
  title: string;
  outcome: State | null;
  threads: string[];
  locations: string[];
  initial: State;
  steps: Step[];
  registers: State;
  flushes: 'early' | 'late';
  forbidden: Forbidden | null;
  commandLine: string;
}

/** Why the weakest of the stronger models without such an execution has none; `from` and `to` are steps. */
export interface Forbidden {
  model: Model;
  text: string;
  cycle: { kind: 'po' | 'rf' | 'co' | 'fr'; from: number; to: number; text: string }[];
}

export interface Graph {
  uri: string;
  version: number;
  stale: boolean;
  model: Model;
  title: string;
  svg: string;
  dot: string;
}

export interface Status {
  uri: string;
  version: number;
  state: CheckState | 'closed';
  stale: boolean;
  models: Partial<Record<Model, CheckState>>;
  errors: number;
  message: string;
}

/** The argument of the commands; lenses carry it. */
export interface CommandArgument extends ExecutionChoice {
  uri: string;
  model?: Model;
}

/** The argument of `fencepost.setParam` as lenses have it: the value is asked for, unless it is reset. */
export interface ParamArgument {
  uri: string;
  name?: string;
  current?: Value | null;
  written?: string;
  reset?: boolean;
}

export const MODELS: readonly Model[] = ['SC', 'TSO', 'PSO'];
