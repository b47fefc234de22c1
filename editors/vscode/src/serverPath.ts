// Finds the server binary: bundled with the extension, else from the setting, else on PATH.

import { accessSync, constants, statSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';

const BINARY = process.platform === 'win32' ? 'fencepost.exe' : 'fencepost';

export type ServerPath = { path: string; origin: 'bundled' | 'setting' | 'PATH' };

/** The binary to run, or why there is none. */
export function findServer(context: vscode.ExtensionContext): ServerPath | { problem: string } {
  const bundled = context.asAbsolutePath(path.join('server', BINARY));
  if (isExecutable(bundled)) {
    return { path: bundled, origin: 'bundled' };
  }
  const configured = trustedSetting();
  if (configured) {
    return path.isAbsolute(configured) && isExecutable(configured)
      ? { path: configured, origin: 'setting' }
      : { problem: `The setting fencepost.server.path names ${configured}, which is not the absolute path of a program that can be run.` };
  }
  const found = searchPath();
  return found
    ? { path: found, origin: 'PATH' }
    : { problem: 'The fencepost program is not on PATH. Build it with cargo, or name it in the setting fencepost.server.path.' };
}

/**
 * The setting as the person set it. Its scope keeps workspace values out already; reading the
 * user's value alone holds even where an editor does not know the scope.
 */
function trustedSetting(): string | undefined {
  const setting = vscode.workspace.getConfiguration('fencepost').inspect<string>('server.path');
  return setting?.globalValue?.trim();
}

/** Relative entries of PATH are skipped: they would let a workspace choose the binary. */
function searchPath(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((entry) => path.isAbsolute(entry))
    .map((entry) => path.join(entry, BINARY))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
