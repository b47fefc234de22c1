// Runs tests through the server: opens each file, waits for its models, and reports what it found.

import * as vscode from 'vscode';
import type { Server } from '../client';
import { toRange } from '../panel/sourceMarks';
import type { Expectation, Model, ModelResult, Outcomes } from '../protocol';

/** Files under way at once: the server has its own queue, this only bounds the open documents. */
const AT_ONCE = 4;

type Files = Map<vscode.TestItem, vscode.TestItem[]>;

export async function runFiles(
  controller: vscode.TestController,
  server: Server,
  files: Files,
  request: vscode.TestRunRequest,
  token: vscode.CancellationToken,
): Promise<void> {
  const run = controller.createTestRun(request);
  const queue = [...files];
  queue.forEach(([file, cases]) => [file, ...cases].forEach((item) => run.enqueued(item)));
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      await runFile(run, server, next[0], next[1], token);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  } finally {
    run.end();
  }
}

async function runFile(
  run: vscode.TestRun,
  server: Server,
  file: vscode.TestItem,
  cases: vscode.TestItem[],
  token: vscode.CancellationToken,
): Promise<void> {
  const uri = file.uri;
  if (!uri || token.isCancellationRequested) {
    cases.forEach((item) => run.skipped(item));
    return;
  }
  cases.forEach((item) => run.started(item));
  try {
    const outcomes = await checked(server, uri, token);
    cases.forEach((item) => report(run, item, item.label as Model, outcomes));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    cases.forEach((item) => run.errored(item, new vscode.TestMessage(message)));
  }
}

/** The outcomes of a file once no model is under way any more; undefined when cancelled. */
async function checked(server: Server, uri: vscode.Uri, token: vscode.CancellationToken): Promise<Outcomes | undefined> {
  const document = await vscode.workspace.openTextDocument(uri);
  const argument = { uri: server.protocolUri(uri) };
  return new Promise((resolve, reject) => {
    const listeners: vscode.Disposable[] = [];
    const settle = (finish: () => void): void => {
      listeners.forEach((listener) => listener.dispose());
      finish();
    };
    const look = async (): Promise<void> => {
      const outcomes = await server.outcomes(uri);
      if (!outcomes) {
        throw new Error('The server is not running.');
      }
      const fresh = outcomes.errors > 0 || (!outcomes.stale && outcomes.version === document.version);
      if (fresh && outcomes.state !== 'checking' && outcomes.state !== 'idle') {
        settle(() => resolve(outcomes));
      }
    };
    const lookAgain = (): void => void look().catch((error: unknown) => settle(() => reject(error)));
    listeners.push(
      server.onStatus((status) => {
        if (vscode.Uri.parse(status.uri).toString() === uri.toString()) {
          lookAgain();
        }
      }),
      token.onCancellationRequested(() => {
        void server.execute('fencepost.cancel', argument);
        settle(() => resolve(undefined));
      }),
    );
    void server.execute('fencepost.checkNow', argument).then(lookAgain, reject);
  });
}

function report(run: vscode.TestRun, item: vscode.TestItem, model: Model, outcomes: Outcomes | undefined): void {
  const result = outcomes?.models[model];
  if (!outcomes || result?.state === 'cancelled') {
    run.skipped(item);
    return;
  }
  if (outcomes.errors > 0 || !result) {
    run.errored(item, at(item, new vscode.TestMessage(result?.note ?? 'The file has errors; see the Problems view.'), null));
    return;
  }
  const duration = result.timeUs / 1000;
  const messages = [
    ...outcomes.expect.filter((expect) => expect.model === model && expect.ok === false).map((expect) => mismatch(item, expect)),
    ...result.failures.map((failure) =>
      at(item, new vscode.TestMessage(`${failure.message} (under ${model})`), failure.range),
    ),
  ];
  run.appendOutput(`${outcomes.name} under ${model}: ${summary(result)}\r\n`, undefined, item);
  if (messages.length > 0) {
    run.failed(item, messages, duration);
  } else if (result.state === 'done') {
    run.passed(item, duration);
  } else {
    run.errored(item, at(item, new vscode.TestMessage(result.note ?? 'The check did not finish.'), null), duration);
  }
}

function mismatch(item: vscode.TestItem, expect: Expectation): vscode.TestMessage {
  const found = expect.found ?? 'unknown';
  const text = `The file expects “${expect.expected}” under ${expect.model}; the check found “${found}”.`;
  return at(item, new vscode.TestMessage(text), expect.range);
}

function at(item: vscode.TestItem, message: vscode.TestMessage, range: Expectation['range'] | null): vscode.TestMessage {
  if (item.uri) {
    message.location = new vscode.Location(item.uri, range ? toRange(range) : new vscode.Position(0, 0));
  }
  return message;
}

function summary(result: ModelResult): string {
  const verdicts = result.verdicts.map((entry) => entry?.verdict ?? 'unknown').join(', ') || 'no condition';
  return `${verdicts} · ${result.outcomes.length} outcomes · ${result.classes} classes`;
}
