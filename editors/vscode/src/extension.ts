// Wires the parts together when the first litmus test is opened.

import * as vscode from 'vscode';
import { Server } from './client';
import { OWNED_COMMANDS, registerCommands } from './commands';
import { WitnessPanel } from './panel/witnessPanel';
import { checkOnReload } from './reload';
import { StatusItem } from './status';
import { LitmusTests } from './tests/controller';

/** What the extension gives to other extensions, and to its own end-to-end tests. */
export interface Api {
  readonly server: Server;
  readonly panel: WitnessPanel;
  readonly status: StatusItem;
  readonly tests: LitmusTests;
}

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const output = vscode.window.createOutputChannel('Fencepost');
  server = new Server(context, output, OWNED_COMMANDS);
  const panel = new WitnessPanel(context.extensionUri, server);
  const status = new StatusItem(server);
  const tests = new LitmusTests(server);
  context.subscriptions.push(
    output,
    status,
    panel,
    tests,
    checkOnReload(server),
    registerCommands({ context, server, panel, status, output }),
    server.onConnection((connection) => {
      if (connection.state === 'failed') {
        void offerHelp(connection.problem);
      }
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('fencepost.server.path')) {
        void server?.restart();
      }
    }),
  );
  void vscode.commands.executeCommand('setContext', 'fencepost.active', true);
  await server.start();
  return { server, panel, status, tests };
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

async function offerHelp(problem: string): Promise<void> {
  const settings = 'Open Settings';
  const picked = await vscode.window.showErrorMessage(problem, settings, 'Show Output');
  if (picked === settings) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'fencepost.server.path');
  } else if (picked) {
    await vscode.commands.executeCommand('fencepost.showOutput');
  }
}
