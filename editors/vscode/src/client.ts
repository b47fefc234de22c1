// The connection to `fencepost lsp`: starts it, restarts it, and asks it what only it knows.

import * as vscode from 'vscode';
import { LanguageClient, RevealOutputChannelOn, State as ClientState, type Executable } from 'vscode-languageclient/node';
import { CommandOwnership } from './commandOwnership';
import { SERVER_SECTIONS, type CommandArgument, type ExecutionParams, type Graph, type Outcomes, type Requests, type Status, type Witness } from './protocol';
import { findServer } from './serverPath';

/** The argument of a command that is about a document. */
export type DocumentArgument = CommandArgument & { uri: string };

export type Connection = { state: 'stopped' | 'starting' | 'running' } | { state: 'failed'; problem: string };

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private connection: Connection = { state: 'stopped' };
  private readonly statusEmitter = new vscode.EventEmitter<Status>();
  private readonly connectionEmitter = new vscode.EventEmitter<Connection>();

  readonly onStatus = this.statusEmitter.event;
  readonly onConnection = this.connectionEmitter.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly output: vscode.OutputChannel,
    private readonly ownedCommands: readonly string[],
  ) {}

  get current(): Connection {
    return this.connection;
  }

  async start(): Promise<void> {
    const found = findServer(this.context);
    if ('problem' in found) {
      this.fail(found.problem);
      return;
    }
    this.output.appendLine(`Starting ${found.path} (${found.origin})`);
    this.connect({ state: 'starting' });
    const run: Executable = { command: found.path, args: ['lsp'] };
    const client: LanguageClient = new LanguageClient('fencepost', 'Fencepost', run, {
      documentSelector: [{ language: 'litmus' }],
      outputChannel: this.output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: serverSettings(),
      synchronize: { configurationSection: SERVER_SECTIONS.map((section) => `fencepost.${section}`) },
      middleware: {
        workspace: {
          didChangeConfiguration: () =>
            client.sendNotification('workspace/didChangeConfiguration', { settings: { fencepost: serverSettings() } }),
          configuration: (params) =>
            params.items.map((item) =>
              item.section === 'fencepost'
                ? serverSettings(item.scopeUri)
                : vscode.workspace.getConfiguration(item.section ?? undefined),
            ),
        },
      },
    });
    this.client = client;
    client.registerFeature(new CommandOwnership(this.ownedCommands));
    client.onNotification('fencepost/status', (status: Status) => this.statusEmitter.fire(status));
    client.onDidChangeState(({ newState }) => {
      if (this.client === client) {
        this.connect({ state: CONNECTION_STATES[newState] });
      }
    });
    try {
      await client.start();
    } catch (error) {
      this.fail(`${found.path} did not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client) {
      await client.dispose().catch((error: unknown) => this.output.appendLine(`While stopping: ${String(error)}`));
    }
    this.connect({ state: 'stopped' });
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  outcomes(uri: vscode.Uri): Promise<Outcomes | null> {
    return this.request('fencepost/outcomes', { textDocument: { uri: this.protocolUri(uri) } });
  }

  witness(params: ExecutionParams): Promise<Witness | null> {
    return this.request('fencepost/witness', params);
  }

  graph(params: ExecutionParams): Promise<Graph | null> {
    return this.request('fencepost/graph', params);
  }

  execute<T>(command: string, argument?: CommandArgument): Promise<T | null> {
    return this.ask('workspace/executeCommand', { command, arguments: argument ? [argument] : [] });
  }

  /** The spelling of a URI that the server knows a document by. */
  protocolUri(uri: vscode.Uri): string {
    return this.client?.code2ProtocolConverter.asUri(uri) ?? uri.toString();
  }

  async toWorkspaceEdit(edit: object): Promise<vscode.WorkspaceEdit | undefined> {
    return this.client?.protocol2CodeConverter.asWorkspaceEdit(edit);
  }

  dispose(): void {
    void this.stop();
    this.statusEmitter.dispose();
    this.connectionEmitter.dispose();
  }

  private request<M extends keyof Requests>(method: M, params: Requests[M]['params']): Promise<Requests[M]['answer'] | null> {
    return this.ask(method, params);
  }

  private async ask<T>(method: string, params: object): Promise<T | null> {
    if (!this.client || this.connection.state !== 'running') {
      return null;
    }
    return this.client.sendRequest<T | null>(method, params);
  }

  private connect(connection: Connection): void {
    this.connection = connection;
    this.connectionEmitter.fire(connection);
  }

  private fail(problem: string): void {
    this.output.appendLine(problem);
    this.connect({ state: 'failed', problem });
  }
}

const CONNECTION_STATES = {
  [ClientState.Stopped]: 'stopped',
  [ClientState.Starting]: 'starting',
  [ClientState.Running]: 'running',
} as const;

function serverSettings(scope?: string): object {
  const configuration = vscode.workspace.getConfiguration('fencepost', scope ? vscode.Uri.parse(scope) : null);
  return Object.fromEntries(SERVER_SECTIONS.map((section) => [section, configuration.get(section)]));
}
