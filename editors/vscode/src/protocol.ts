// What `fencepost lsp` adds to the Language Server Protocol. Generated from the structs of
// server/src/protocol: edit those, then run `UPDATE_EXPECT=1 cargo test -p fencepost generated`.

import type { Range, TextDocumentIdentifier, WorkspaceEdit } from 'vscode-languageclient';

/** A loop at whose bound executions were cut off. */
export interface BoundHit {
  thread: string;
  range: Range | null;
  bound: number;
  /** The file says so, with `max`. */
  explicit: boolean;
}

/** A store that waits in a buffer. */
export interface Buffered {
  location: string;
  value: Value;
}

/** How a check stands. */
export type CheckState = 'idle' | 'checking' | 'done' | 'unfinished' | 'cancelled' | 'failed';

export interface ChosenAnswer {
  /** There is such an execution. */
  chosen: boolean;
}

/** What a client says of itself, in `capabilities.experimental.fencepost`; all of it optional. */
export interface ClientCapabilities {
  /** Wants `fencepost/status`. */
  status?: boolean;
  /** Commands that it runs itself: a lens with one of them is left to it. */
  commands?: string[];
}

/** The argument of every command; each reads what it needs. */
export interface CommandArgument {
  /** A document that the client has opened. */
  uri?: string;
  /** Without one: the strongest model that has such an execution. */
  model?: Model;
  /** An index into `outcomes`, or a state. */
  outcome?: OutcomeChoice;
  /** The first outcome in which this condition's proposition holds (or, for `forall`, does not). */
  condition?: number;
  /** An index into `failures`. */
  failure?: number;
  /** One that ends in a deadlock. */
  deadlock?: boolean;
  /** Under which models the fences must help; without them, under all. */
  models?: Model[];
  /** An index into `sets`; without one, the first. */
  set?: number;
  edit?: WorkspaceEdit;
  /** Of a parameter. */
  name?: string;
  /** A 64-bit number or a string of its digits. Null is a value too: the file's own. */
  value?: Value;
  /** As a null in `value`, which some clients lose on the way. */
  reset?: boolean;
  /** In a lens: the parameter as the file has it. */
  written?: string;
  /** In a lens: the parameter's value; null while the test has errors. */
  current?: Value;
}

/** A condition of the text now. */
export interface Condition {
  index: number;
  range: Range;
  /** On one line: `exists (P0:r0 = 0 /\ P1:r1 = 0)`. */
  text: string;
  quantifier: Quantifier;
  name: string | null;
}

/** How often a condition's proposition holds. */
export interface ConditionVerdict {
  verdict: Verdict;
  /** Classes in which it holds, */
  holds: number;
  /** of so many. */
  of: number;
}

export type Dialect = 'litmus' | 'X86' | 'X86_64' | 'C' | 'unknown';

/** Which document is meant, one that the client has opened. */
export interface DocumentParams {
  textDocument: TextDocumentIdentifier;
}

/** How a document stands. */
export type DocumentState = CheckState | 'closed';

/** The text as the server has it. */
export interface DocumentText {
  version: number;
  text: string;
}

export type EdgeKind = 'po' | 'rf' | 'co' | 'fr';

export type Engine = 'trust' | 'rf' | 'rf-part' | 'brute' | 'sat' | 'lazy';

/** Which execution of which document is meant. */
export interface ExecutionParams {
  textDocument: TextDocumentIdentifier;
  /** Without one: the strongest model that has such an execution. */
  model?: Model;
  /** An index into `outcomes`, or a state. */
  outcome?: OutcomeChoice;
  /** The first outcome in which this condition's proposition holds (or, for `forall`, does not). */
  condition?: number;
  /** An index into `failures`. */
  failure?: number;
  /** One that ends in a deadlock. */
  deadlock?: boolean;
}

/** An `expect` of the text now, judged as far as results go. */
export interface Expectation {
  /** The condition's index. */
  condition: number;
  model: Model;
  expected: 'never' | 'sometimes' | 'always';
  /** Null until the model has a result. */
  found: Verdict | null;
  /** Null until it is settled. */
  ok: boolean | null;
  range: Range;
}

/** An assertion that can fail. */
export interface Failure {
  index: number;
  thread: string;
  range: Range | null;
  /** For people: `this assertion can fail`. */
  message: string;
  classes: number;
}

export interface FenceSet {
  /** For people: ``Insert `mfence` in P0 and P1 (unreachable under TSO, PSO)``. */
  title: string;
  edit: WorkspaceEdit;
}

/** Sets of fences, each of which forbids the outcome. */
export interface FencesAnswer {
  /** For people. */
  text: string;
  sets: FenceSet[];
}

/** How flushes were placed among the possible ways. */
export type Flushes = 'early' | 'late';

/** Why a stronger model has no such execution. */
export interface Forbidden {
  /** The weakest of those that have none. */
  model: Model;
  /** For people: `not under SC: a cycle, each before the next`. */
  text: string;
  /** Of steps. */
  cycle: Link[];
}

/** One execution, drawn: po, rf, co, fr. */
export interface Graph {
  uri: string;
  /** The version that was checked. */
  version: number;
  /** That version differs from the text now. */
  stale: boolean;
  model: Model;
  /** Each event is `<g class="event" data-step="0">`. */
  svg: string;
  dot: string;
  title: string;
}

/** The set that is inserted. */
export interface InsertedAnswer {
  title: string;
}

/** One step before another. */
export interface Link {
  kind: EdgeKind;
  /** The index of a step. */
  from: number;
  /** The index of a step. */
  to: number;
  /** For people: `program order`. */
  text: string;
}

export type Model = 'SC' | 'TSO' | 'PSO';

/** What is known under one model: how the check stands, and its report as `fencepost check --format json` has it, with ranges and indices.  Ranges of results are moved with the text, null where their text is gone. */
export interface ModelResult {
  state: CheckState;
  /** The version that was checked; null before the first result. */
  version: number | null;
  /** That version differs from the text now. */
  stale: boolean;
  /** Everything was explored; if not, `never` and `always` are not claimed. */
  complete: boolean;
  /** Null before the first result. */
  engine: Engine | null;
  /** Reads-from classes of executions that run to their end; null when the engine does not count them. */
  classes: number | null;
  /** Executions that were given up on the way. */
  blocked: number;
  /** Microseconds; 0 at the command line without `--timings`, so that two runs print the same. */
  time_us: number;
  outcomes: Outcome[];
  /** One for each condition of the file; null where the checked text has no such condition, which only a text that was edited since can have. */
  conditions: (ConditionVerdict | null)[];
  /** Assertions that can fail. */
  assertions: Failure[];
  /** Executions that end in a deadlock. */
  deadlocks: number;
  /** Loops at whose bounds executions were cut off. */
  bounds: BoundHit[];
  /** Which budget ran out; null when it is complete. */
  stopped: Stopped | null;
  /** There, and false, when the verdicts are complete but the list of outcomes is not. */
  outcomes_complete?: boolean;
  /** Why it is not complete, or what went wrong, for people. */
  note: string | null;
  /** There is a witness of a deadlock. */
  deadlock: boolean;
  /** The older name of `time_us`. */
  timeUs: number;
  /** The older name of `conditions`. */
  verdicts: (ConditionVerdict | null)[];
  /** The older name of `assertions`. */
  failures: Failure[];
  /** The older name of `bounds`. */
  boundsHit: BoundHit[];
}

/** A way in which the test can end. */
export interface Outcome {
  index: number;
  state: State;
  /** Reads-from classes that end so. */
  classes: number;
  /** For each condition whether its proposition holds there; null as in `conditions`. */
  holds: (boolean | null)[];
}

/** An outcome by its index or by its state. */
export type OutcomeChoice = number | State;

/** What is known about a document. */
export interface Outcomes {
  uri: string;
  /** Of the text as the server has it now. */
  version: number;
  /** Some results below belong to an older version. */
  stale: boolean;
  /** Of the whole: `checking` while a model is, else `failed`, `cancelled`, `unfinished` or `done`, the first that fits any model; `idle` when all are. */
  state: CheckState;
  name: string;
  dialect: Dialect;
  /** Syntax and name errors in the text now. */
  errors: number;
  /** Questions asked after the verdicts (reads, fences) and not answered yet. */
  pending: number;
  /** Of the native dialect; what a setting or a lens gives lies over the file. */
  params: Param[];
  /** The names in every state. */
  observed: string[];
  /** Those of the text now. */
  conditions: Condition[];
  /** A model that `check.models` leaves out stays `idle`. */
  models: Partial<Record<Model, ModelResult>>;
  /** Every `expect` of the text now. */
  expect: Expectation[];
}

/** A `param` of the text now. */
export interface Param {
  name: string;
  /** Null while the test has errors. */
  value: Value | null;
  /** As the file has it, an expression. */
  written: string;
  /** A setting or a lens gives the value, not the file. */
  overridden: boolean;
  /** By `fencepost.setParam`. */
  set: boolean;
  range: Range;
}

/** A parameter as it stands after the command. */
export interface ParamAnswer {
  name: string;
  /** Null while the test has errors. */
  value: Value | null;
  /** For people: `N = 5 (file says 3)`. */
  text: string;
}

export type Quantifier = 'exists' | '~exists' | 'forall';

/** Which execution is meant: the first of `deadlock`, `failure`, `outcome` and `condition` that is there decides; without any, the first outcome. */
export interface Selector {
  /** Without one: the strongest model that has such an execution. */
  model?: Model;
  /** An index into `outcomes`, or a state. */
  outcome?: OutcomeChoice;
  /** The first outcome in which this condition's proposition holds (or, for `forall`, does not). */
  condition?: number;
  /** An index into `failures`. */
  failure?: number;
  /** One that ends in a deadlock. */
  deadlock?: boolean;
}

/** What the server says of itself, in `capabilities.experimental.fencepost`. */
export interface ServerCapabilities {
  /** The version of this page: 1. */
  protocol: number;
  /** Methods that can be asked. */
  requests: string[];
  /** `fencepost/status` is sent to a client that wants it. */
  status: boolean;
}

/** Where a value comes from: `"initial"`, or the index of the step that stored. */
export type Source = 'initial' | number;

/** From observed names, as the file spells them, to values: `{"P0:r0": 0, "P1:r1": 0}`, `{"0:EAX": 1, "[x]": 2}`. The keys have the file's order. */
export type State = Record<string, Value>;

/** `fencepost/status`: a document's state changed. */
export interface Status {
  uri: string;
  /** Null when the document is closed. */
  version: number | null;
  state: DocumentState;
  /** Some results belong to an older version. */
  stale: boolean;
  /** None when the document is closed. */
  models: Partial<Record<Model, CheckState>>;
  /** A number that grows with every check that is started; absent when the document is closed. */
  check?: number;
  /** Syntax and name errors in the text now. */
  errors: number;
  /** For people: `SB: SC never · TSO sometimes · PSO sometimes`. */
  message: string;
}

/** What a thread does next, and what that leaves behind. Under SC a write has no buffer and changes memory at once. */
export interface Step {
  index: number;
  /** An index into `threads`. */
  thread: number;
  kind: StepKind;
  /** The test's own syntax, short: `x = 1`, `r0 = y → 0`, `⤷ flush x=1`. */
  text: string;
  /** Where it is written; in the language server null when that text is gone. */
  range: Range | null;
  /** Null for a fence and a stop. */
  location: string | null;
  /** Read or written; null for a fence and a stop. */
  value: Value | null;
  /** Of a read, rmw or lock: where its value comes from. */
  source: Source | null;
  /** Of a flush: the index of the step that stored. */
  store: number | null;
  /** For each thread, oldest first, after the step. */
  buffers: Buffered[][];
  /** After the step. */
  memory: State;
  /** What the step changed: `memory:x`, `buffer:P0:x`, `register:P0:r0`. */
  changed: string[];
}

export type StepKind = 'read' | 'write' | 'rmw' | 'fence' | 'lock' | 'unlock' | 'flush' | 'stop';

/** Why a check is not complete. */
export type Stopped = 'time' | 'classes' | 'memory' | 'cancelled' | 'events' | 'rounds' | 'engine';

/** What is shown, as a text. */
export interface TextAnswer {
  text: string;
}

/** A number; outside ±(2^53 − 1) a string of its decimal digits; for the address of a location a string, the location's name. */
export type Value = number | string;

export type Verdict = 'never' | 'sometimes' | 'always' | 'unknown';

/** One execution, step by step. */
export interface Witness {
  uri: string;
  /** The version that was checked. */
  version: number;
  /** That version differs from the text now. */
  stale: boolean;
  /** For people: `P0:r0=0 P1:r1=0 under TSO`. */
  title: string;
  /** Null for a failure or a deadlock. */
  outcome: State | null;
  /** The run of the command line that shows the same. */
  commandLine: string;
  model: Model;
  threads: string[];
  locations: string[];
  /** Memory at the start. */
  initial: State;
  steps: Step[];
  /** At the end, every named register. */
  registers: State;
  flushes: Flushes;
  /** Null when every stronger model has such an execution. */
  forbidden: Forbidden | null;
}

/** What can be asked, by the method's name. */
export interface Requests {
  /** what is known about a document, under every model */
  'fencepost/outcomes': { params: DocumentParams; answer: Outcomes };
  /** one execution, step by step; null when there is no such execution (yet) */
  'fencepost/witness': { params: ExecutionParams; answer: Witness };
  /** the same execution, drawn; null when there is none */
  'fencepost/graph': { params: ExecutionParams; answer: Graph };
  /** the text as the server has it, for tests of clients */
  'fencepost/text': { params: DocumentParams; answer: DocumentText };
}

/** From the strongest to the weakest. */
export const MODELS: readonly Model[] = ['SC', 'TSO', 'PSO'];

/** Sections of the settings that are the server's; the others are the extension's own. */
export const SERVER_SECTIONS = ['check', 'surfaces', 'fences', 'log'] as const;
