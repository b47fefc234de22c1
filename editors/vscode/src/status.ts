// The status item: whether the test in the editor is checked, being checked, stale or failed.

import * as vscode from 'vscode';
import type { Connection, Server } from './client';
import type { CheckState, Status } from './protocol';

const LOOKS: Record<CheckState | 'stale', { icon: string; word: string }> = {
  idle: { icon: 'circle-outline', word: 'not checked yet' },
  checking: { icon: 'sync~spin', word: 'checking' },
  done: { icon: 'pass', word: 'checked' },
  stale: { icon: 'history', word: 'stale, save to check' },
  unfinished: { icon: 'warning', word: 'not finished' },
  cancelled: { icon: 'circle-slash', word: 'stopped' },
  failed: { icon: 'error', word: 'failed' },
};

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('fencepost.status', vscode.StatusBarAlignment.Left, 50);
  private readonly byUri = new Map<string, Status>();
  /** The test that the item is about: it stays while a panel has the focus. */
  private shown: vscode.Uri | undefined;
  private readonly disposables: vscode.Disposable[] = [this.item];

  constructor(private readonly server: Server) {
    this.item.name = 'Fencepost';
    this.item.command = 'fencepost.showStatus';
    this.disposables.push(
      server.onStatus((status) => this.take(status)),
      server.onConnection(() => this.render()),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
      vscode.workspace.onDidChangeConfiguration(() => this.render()),
    );
    this.follow(vscode.window.activeTextEditor);
  }

  /** The last status of the document, if the server has said one. */
  of(uri: vscode.Uri): Status | undefined {
    return this.byUri.get(uri.toString());
  }

  /** What the item shows now, for the details picker. */
  get text(): string {
    return this.item.text;
  }

  dispose(): void {
    this.disposables.forEach((disposable) => disposable.dispose());
  }

  private take(status: Status): void {
    const key = vscode.Uri.parse(status.uri).toString();
    if (status.state === 'closed') {
      this.byUri.delete(key);
    } else {
      this.byUri.set(key, status);
    }
    this.render();
  }

  private follow(editor: vscode.TextEditor | undefined): void {
    if (editor) {
      this.shown = editor.document.languageId === 'litmus' ? editor.document.uri : undefined;
    } else if (!vscode.window.visibleTextEditors.some(({ document }) => document.uri.toString() === this.shown?.toString())) {
      this.shown = undefined;
    }
    this.render();
  }

  private render(): void {
    if (!isEnabled() || !this.shown) {
      this.item.hide();
      return;
    }
    const connection = this.server.current;
    if (connection.state === 'running') {
      this.show(this.of(this.shown));
    } else {
      this.showConnection(connection);
    }
    this.item.show();
  }

  private show(status: Status | undefined): void {
    const { icon, word } = lookOf(status);
    this.item.text = `$(${icon}) Fencepost: ${word}`;
    this.item.tooltip = tooltip(status, word);
    this.item.accessibilityInformation = { label: `Fencepost: ${word}. ${status?.message ?? ''}`, role: 'button' };
    this.item.backgroundColor = undefined;
  }

  private showConnection(connection: Connection): void {
    const starting = connection.state === 'starting';
    const word = starting ? 'starting' : 'server not running';
    this.item.text = `$(${starting ? 'sync~spin' : 'error'}) Fencepost: ${word}`;
    this.item.tooltip = connection.state === 'failed' ? connection.problem : word;
    this.item.accessibilityInformation = { label: `Fencepost: ${word}`, role: 'button' };
    this.item.backgroundColor = starting ? undefined : new vscode.ThemeColor('statusBarItem.errorBackground');
  }
}

/** A stale result looks like neither a fresh one nor none, except while its successor is under way. */
function lookOf(status: Status | undefined): { icon: string; word: string } {
  if (!status || status.state === 'closed') {
    return LOOKS.idle;
  }
  if (status.errors > 0) {
    const errors = `${status.errors} ${status.errors === 1 ? 'error' : 'errors'}`;
    return { icon: 'error', word: status.stale ? `${errors}, results are stale` : errors };
  }
  const settled = status.state !== 'checking' && status.state !== 'failed';
  return LOOKS[status.stale && settled ? 'stale' : status.state];
}

function tooltip(status: Status | undefined, word: string): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(status?.message || word);
  for (const [model, state] of Object.entries(status?.models ?? {})) {
    text.appendMarkdown(`\n\n**${model}**: ${LOOKS[state].word}`);
  }
  text.appendMarkdown('\n\nClick for details.');
  return text;
}

function isEnabled(): boolean {
  const settings = vscode.workspace.getConfiguration('fencepost');
  return settings.get('surfaces.enable', true) && settings.get('statusItem.enable', true);
}
