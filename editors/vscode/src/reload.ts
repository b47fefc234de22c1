// Checks a test again when its text came from the disk: a branch was switched, a tool rewrote it.

import * as vscode from 'vscode';
import type { Server } from './client';

/** The editor says a moment after a change whether the text is the disk's or the person's. */
const SETTLE_MS = 100;

export function checkOnReload(server: Server): vscode.Disposable {
  return vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    if (document.languageId !== 'litmus' || contentChanges.length === 0) {
      return;
    }
    const { version } = document;
    setTimeout(() => {
      const unchanged = document.version === version && !document.isDirty && !document.isClosed;
      const manual = vscode.workspace.getConfiguration('fencepost', document).get('check.run') === 'manual';
      if (unchanged && !manual) {
        void server.execute('fencepost.checkNow', { uri: server.protocolUri(document.uri) });
      }
    }, SETTLE_MS);
  });
}
