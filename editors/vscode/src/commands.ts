// The commands of the palette and the lenses; each finds its document and asks the server.

import * as vscode from 'vscode';
import type { DocumentArgument, Server } from './client';
import type { WitnessPanel } from './panel/witnessPanel';
import type { CommandArgument, FencesAnswer, TextAnswer } from './protocol';
import { setParam } from './params';
import { showStatus } from './statusDetails';
import type { StatusItem } from './status';

/** The commands that the server also knows and that this extension answers itself. */
export const OWNED_COMMANDS = [
  'fencepost.showWitness',
  'fencepost.showOutcomes',
  'fencepost.suggestFences',
  'fencepost.checkNow',
  'fencepost.cancel',
  'fencepost.setParam',
  'fencepost.copyCommandLine',
] as const;

export interface Parts {
  context: vscode.ExtensionContext;
  server: Server;
  panel: WitnessPanel;
  status: StatusItem;
  output: vscode.OutputChannel;
}

export function registerCommands(parts: Parts): vscode.Disposable {
  const { server, panel, output } = parts;
  const commands: Record<string, (argument?: CommandArgument) => unknown> = {
    'fencepost.showWitness': withDocument(parts, (argument) => panel.showWitness(argument)),
    'fencepost.showOutcomes': withDocument(parts, (argument) => panel.showWitness(argument)),
    'fencepost.suggestFences': withDocument(parts, (argument) => suggestFences(server, argument)),
    'fencepost.checkNow': withDocument(parts, (argument) => server.execute('fencepost.checkNow', argument)),
    'fencepost.cancel': (argument) => server.execute('fencepost.cancel', argument),
    'fencepost.setParam': withDocument(parts, (argument) => setParam(server, argument)),
    'fencepost.copyCommandLine': withDocument(parts, (argument) => copyCommandLine(server, argument)),
    'fencepost.showStatus': () => showStatus(parts),
    'fencepost.toggleSurfaces': toggleSurfaces,
    'fencepost.openExample': () => openExample(parts.context),
    'fencepost.restartServer': () => server.restart(),
    'fencepost.showOutput': () => output.show(true),
    'fencepost.panel.nextStep': () => panel.moveStep(1),
    'fencepost.panel.previousStep': () => panel.moveStep(-1),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

/** Runs with the lens's argument or, from the palette, with the test in the active editor. */
function withDocument(parts: Parts, run: (argument: DocumentArgument) => unknown) {
  return (argument?: CommandArgument): unknown => {
    if (typeof argument?.uri === 'string') {
      return run({ ...argument, uri: argument.uri });
    }
    const editor = vscode.window.activeTextEditor;
    const uri = editor?.document.languageId === 'litmus' ? editor.document.uri : parts.panel.documentUri;
    if (!uri) {
      return vscode.window.showInformationMessage('Open a litmus test first.');
    }
    return run({ uri: parts.server.protocolUri(uri) });
  };
}

async function suggestFences(server: Server, argument: DocumentArgument): Promise<void> {
  const found = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: 'Fencepost: looking for fences' },
    () => server.execute<FencesAnswer>('fencepost.suggestFences', { condition: 0, ...argument }),
  );
  if (!found || found.sets.length === 0) {
    void vscode.window.showInformationMessage(found?.text.trim() || 'There is no result to suggest fences for yet.');
    return;
  }
  const picked = await vscode.window.showQuickPick(
    found.sets.map((set) => ({ label: set.title, set })),
    { title: 'Fences that forbid the outcome', placeHolder: 'Each of these was checked again; choose one to insert it' },
  );
  const edit = picked && (await server.toWorkspaceEdit(picked.set.edit));
  if (edit) {
    await vscode.workspace.applyEdit(edit);
  }
}

async function copyCommandLine(server: Server, argument: DocumentArgument): Promise<void> {
  const answer = await server.execute<TextAnswer>('fencepost.copyCommandLine', argument);
  if (answer) {
    await vscode.env.clipboard.writeText(answer.text);
    vscode.window.setStatusBarMessage(`Copied: ${answer.text}`, 5000);
  }
}

async function toggleSurfaces(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('fencepost');
  const enabled = settings.get('surfaces.enable', true);
  await settings.update('surfaces.enable', !enabled, vscode.ConfigurationTarget.Global);
}

async function openExample(context: vscode.ExtensionContext): Promise<void> {
  const file = vscode.Uri.joinPath(context.extensionUri, 'walkthrough', 'SB.litmus');
  const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  const document = await vscode.workspace.openTextDocument({ language: 'litmus', content });
  await vscode.window.showTextDocument(document);
}
