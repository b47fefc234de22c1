// The witness panel: one webview that is reused, kept in step with the server and the cursor.

import * as vscode from 'vscode';
import type { DocumentArgument, Server } from '../client';
import type { ExecutionParams, Model, Outcomes, Selector, State } from '../protocol';
import { firstChoice } from './choice';
import { panelHtml } from './html';
import type { FromPanel, Picture, Selection, ToPanel } from './messages';
import { SourceMarks, toRange } from './sourceMarks';

const VIEW_TYPE = 'fencepost.witness';

export class WitnessPanel implements vscode.Disposable, vscode.WebviewPanelSerializer<Selection> {
  private panel: vscode.WebviewPanel | undefined;
  private selection: Selection | undefined;
  private picture: Picture | undefined;
  /** Answers that arrive after a newer question are dropped. */
  private question = 0;
  private chosenForHints: string | undefined;
  private readonly marks = new SourceMarks();
  private readonly disposables: vscode.Disposable[] = [this.marks];

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly server: Server,
  ) {
    this.disposables.push(
      vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, this),
      server.onStatus((status) => {
        if (this.selection && sameUri(status.uri, this.selection.uri)) {
          void this.refresh();
        }
      }),
      server.onConnection(({ state }) => state === 'running' && void this.refresh()),
      vscode.window.onDidChangeTextEditorSelection((event) => this.followCursor(event.textEditor)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.markStep()),
    );
  }

  get documentUri(): vscode.Uri | undefined {
    return this.selection && vscode.Uri.parse(this.selection.uri);
  }

  /** Shows an execution of the document; what the argument leaves open is chosen from the outcomes. */
  async showWitness(argument: DocumentArgument): Promise<void> {
    const { uri, model, ...choice } = argument;
    const outcomes = await this.server.outcomes(vscode.Uri.parse(uri));
    this.selection = { uri, position: 0, ...firstChoice(outcomes, model, choice) };
    this.open();
    await this.refresh();
    const editor = vscode.window.visibleTextEditors.find((shown) => sameUri(uri, shown.document.uri.toString()));
    if (editor) {
      this.followCursor(editor);
    }
  }

  moveStep(by: number): void {
    this.post({ type: 'move', by });
  }

  /** Opens the panel again as it was when the window was closed. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: Selection | undefined): Promise<void> {
    if (!state || typeof state.uri !== 'string') {
      panel.dispose();
      return;
    }
    this.panel?.dispose();
    this.selection = state;
    this.adopt(panel);
    try {
      await vscode.workspace.openTextDocument(vscode.Uri.parse(state.uri));
    } catch {
      this.show({ notice: 'The test of this witness is gone.' });
      return;
    }
    await this.refresh();
  }

  dispose(): void {
    this.panel?.dispose();
    this.disposables.forEach((disposable) => disposable.dispose());
  }

  private open(): void {
    if (this.panel) {
      if (!this.panel.visible) {
        this.panel.reveal(undefined, true);
      }
      return;
    }
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.adopt(vscode.window.createWebviewPanel(VIEW_TYPE, 'Witness', beside));
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel = panel;
    panel.iconPath = {
      light: vscode.Uri.joinPath(this.extensionUri, 'icons', 'litmus-light.svg'),
      dark: vscode.Uri.joinPath(this.extensionUri, 'icons', 'litmus-dark.svg'),
    };
    panel.webview.options = {
      enableScripts: true,
      localResourceRoots: ['dist', 'media'].map((folder) => vscode.Uri.joinPath(this.extensionUri, folder)),
    };
    panel.webview.onDidReceiveMessage((message: FromPanel) => this.receive(message));
    panel.onDidDispose(() => this.closed(panel));
    panel.webview.html = panelHtml(panel.webview, this.extensionUri);
    void vscode.commands.executeCommand('setContext', 'fencepost.panelOpen', true);
  }

  private closed(panel: vscode.WebviewPanel): void {
    if (this.panel !== panel) {
      return;
    }
    this.panel = undefined;
    this.marks.clear();
    void vscode.commands.executeCommand('setContext', 'fencepost.panelOpen', false);
    if (this.selection) {
      void this.server.execute('fencepost.chooseWitness', { uri: this.selection.uri });
    }
    this.selection = undefined;
    this.picture = undefined;
    this.chosenForHints = undefined;
  }

  /** Asks the server for everything anew and draws it, unless something newer was asked meanwhile. */
  private async refresh(): Promise<void> {
    if (!this.panel || !this.selection) {
      return;
    }
    const question = ++this.question;
    const params = executionParams(this.selection);
    const [outcomes, witness, graph] = await Promise.all([
      this.server.outcomes(vscode.Uri.parse(this.selection.uri)),
      this.server.witness(params),
      this.server.graph(params),
    ]);
    if (question !== this.question || !this.selection) {
      return;
    }
    if (witness) {
      // Without one the position waits: after a reload the check may still run.
      this.selection.position = Math.min(this.selection.position, witness.steps.length);
    }
    const notice = witness ? null : missing(outcomes, this.selection);
    this.show({ outcomes, witness, svg: graph?.svg ?? null, notice });
    if (witness) {
      this.chooseForHints(params);
    }
  }

  /** The editor's hints show what the panel shows. Asked once: the server may answer with news of its own. */
  private chooseForHints({ textDocument, ...choice }: ExecutionParams): void {
    const argument = { uri: textDocument.uri, ...choice };
    const key = JSON.stringify(argument);
    if (key !== this.chosenForHints) {
      this.chosenForHints = key;
      void this.server.execute('fencepost.chooseWitness', argument);
    }
  }

  private show(news: Partial<Omit<Picture, 'selection'>>): void {
    if (!this.panel || !this.selection) {
      return;
    }
    const empty = { outcomes: null, witness: null, svg: null, notice: null };
    this.picture = { ...empty, ...news, selection: this.selection };
    const name = this.picture.outcomes?.name;
    this.panel.title = name ? `Witness: ${name}` : 'Witness';
    this.post({ type: 'picture', picture: this.picture });
    this.markStep();
  }

  private receive(message: FromPanel): void {
    if (!this.selection) {
      return;
    }
    switch (message.type) {
      case 'ready':
        if (this.picture) {
          this.post({ type: 'picture', picture: this.picture });
        }
        break;
      case 'select':
        this.select(message.model, message.choice);
        break;
      case 'position':
        this.selection.position = message.position;
        this.markStep();
        break;
      case 'hover':
        this.marks.markHovered(vscode.Uri.parse(this.selection.uri), this.rangeOf(message.step));
        break;
      case 'goto':
        void this.goto(message.step);
        break;
      case 'copyCommandLine':
        void this.copyCommandLine();
        break;
    }
  }

  private select(model: Model, choice: Selector): void {
    if (this.selection) {
      this.selection = { uri: this.selection.uri, model, choice, position: 0 };
      void this.refresh();
    }
  }

  private rangeOf(step: number | null) {
    return step === null ? null : (this.picture?.witness?.steps[step]?.range ?? null);
  }

  private markStep(): void {
    if (this.panel && this.selection) {
      this.marks.markCurrent(vscode.Uri.parse(this.selection.uri), this.rangeOf(this.selection.position - 1));
    }
  }

  /** Puts the cursor on a step's line: asked for by a double click or Enter, so it may take the focus. */
  private async goto(step: number): Promise<void> {
    const range = this.rangeOf(step);
    const uri = this.documentUri;
    if (!range || !uri) {
      return;
    }
    const shown = vscode.window.visibleTextEditors.find((editor) => sameUri(editor.document.uri.toString(), uri.toString()));
    const column = shown?.viewColumn ?? vscode.ViewColumn.One;
    await vscode.window.showTextDocument(uri, { viewColumn: column, selection: toRange(range) });
  }

  private async copyCommandLine(): Promise<void> {
    const text = this.picture?.witness?.commandLine;
    if (text) {
      await vscode.env.clipboard.writeText(text);
      vscode.window.setStatusBarMessage(`Copied: ${text}`, 5000);
    }
  }

  private followCursor(editor: vscode.TextEditor): void {
    if (this.selection && sameUri(editor.document.uri.toString(), this.selection.uri)) {
      this.post({ type: 'cursor', line: editor.selection.active.line });
    }
  }

  private post(message: ToPanel): void {
    void this.panel?.webview.postMessage(message);
  }
}

function executionParams({ uri, model, choice }: Selection): ExecutionParams {
  return { textDocument: { uri }, model, ...choice };
}

/** Why there is no witness to show. */
function missing(outcomes: Outcomes | null, { model, choice }: Selection): string {
  const result = outcomes?.models[model];
  if (!result || result.state === 'idle') {
    return `Not checked under ${model} yet.`;
  }
  if (result.state === 'checking') {
    return `Checking under ${model} …`;
  }
  if (result.state === 'done') {
    const end = typeof choice.outcome === 'object' ? `with ${stateText(choice.outcome)}` : 'so';
    return `No execution under ${model} ends ${end}: everything was explored.`;
  }
  return result.note ?? `The check under ${model} did not finish, and has seen no such execution.`;
}

function stateText(state: State): string {
  return Object.entries(state)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function sameUri(left: string, right: string): boolean {
  return left === right || vscode.Uri.parse(left).toString() === vscode.Uri.parse(right).toString();
}
