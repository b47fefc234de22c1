// The picker behind the status item: what is known about the test, and what can be done.

import * as vscode from 'vscode';
import type { Parts } from './commands';
import { MODELS, type ModelResult, type Outcomes } from './protocol';

interface Entry extends vscode.QuickPickItem {
  command?: string;
}

export async function showStatus({ server, status, panel }: Parts): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri ?? panel.documentUri;
  const outcomes = uri ? await server.outcomes(uri) : null;
  const picked = await vscode.window.showQuickPick<Entry>([...describe(outcomes), ...actions(outcomes)], {
    title: status.text.replace(/\$\([^)]*\)\s*/, ''),
    placeHolder: connectionProblem(server.current) ?? 'What was checked, and what to do next',
    matchOnDescription: true,
  });
  if (picked?.command) {
    await vscode.commands.executeCommand(picked.command);
  }
}

function connectionProblem(connection: Parts['server']['current']): string | undefined {
  if (connection.state === 'failed') {
    return connection.problem;
  }
  return connection.state === 'running' ? undefined : `The server is ${connection.state}`;
}

function describe(outcomes: Outcomes | null): Entry[] {
  if (!outcomes) {
    return [];
  }
  const models = MODELS.flatMap((model) => {
    const result = outcomes.models[model];
    return result
      ? [{ label: model, description: verdicts(result), detail: facts(result), command: 'fencepost.showWitness' }]
      : [];
  });
  return [{ label: outcomes.name || 'This test', kind: vscode.QuickPickItemKind.Separator }, ...models];
}

function verdicts(result: ModelResult): string {
  const words = result.verdicts.map((entry) => entry?.verdict ?? 'not known yet').join(', ');
  return result.stale ? `${words} (stale)` : words;
}

function facts(result: ModelResult): string {
  const parts = [
    STATE_WORDS[result.state],
    count(result.outcomes.length, 'outcome', 'outcomes'),
    result.classes === null ? 'classes not counted' : count(result.classes, 'class', 'classes'),
    duration(result.timeUs),
  ];
  return result.note ? `${parts.join(' · ')} · ${result.note}` : parts.join(' · ');
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function duration(microseconds: number): string {
  if (microseconds < 1000) {
    return `${microseconds} µs`;
  }
  return microseconds < 1e6 ? `${(microseconds / 1000).toFixed(1)} ms` : `${(microseconds / 1e6).toFixed(1)} s`;
}

const STATE_WORDS: Record<ModelResult['state'], string> = {
  idle: 'not checked yet',
  checking: 'checking',
  done: 'everything explored',
  unfinished: 'not finished',
  cancelled: 'stopped',
  failed: 'failed',
};

function actions(outcomes: Outcomes | null): Entry[] {
  const checking = outcomes?.state === 'checking';
  return [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    checking
      ? { label: '$(debug-stop) Stop checking', command: 'fencepost.cancel' }
      : { label: '$(play) Check now', command: 'fencepost.checkNow' },
    { label: '$(copy) Copy as command line', command: 'fencepost.copyCommandLine' },
    { label: '$(output) Show output', command: 'fencepost.showOutput' },
    { label: '$(debug-restart) Restart server', command: 'fencepost.restartServer' },
  ];
}
