// The lens over a `param`: asks for another value and checks with it.

import * as vscode from 'vscode';
import type { DocumentArgument, Server } from './client';

const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

export async function setParam(server: Server, argument: DocumentArgument): Promise<void> {
  const { uri, name } = argument;
  if (argument.reset) {
    await server.execute('fencepost.setParam', argument);
    return;
  }
  const chosen = name === undefined ? await pickParam(server, uri) : { ...argument, name };
  if (!chosen) {
    return;
  }
  // A value that the server refuses is asked for again, with the reason beside it.
  let value = String(chosen.current ?? chosen.written ?? '');
  let prompt = `The file says ${chosen.written}. The value holds for this document, until the server ends.`;
  for (;;) {
    const typed = await vscode.window.showInputBox({
      title: `Value of ${chosen.name}`,
      value,
      prompt,
      validateInput: problemOf,
    });
    if (typed === undefined) {
      return;
    }
    value = typed.trim();
    try {
      await server.execute('fencepost.setParam', { uri, name: chosen.name, value });
      return;
    } catch (error) {
      prompt = error instanceof Error ? error.message : String(error);
    }
  }
}

/** Why a text is no value, in the language's sense; values are 64-bit numbers. */
export function problemOf(text: string): string | undefined {
  const digits = text.trim();
  if (!/^-?\d+$/.test(digits)) {
    return 'A whole number, such as 3 or -1';
  }
  const number = BigInt(digits);
  return number < SMALLEST || number > LARGEST ? 'Values are 64-bit numbers' : undefined;
}

/** From the palette no parameter is named. */
async function pickParam(server: Server, uri: string): Promise<(DocumentArgument & { name: string }) | undefined> {
  const outcomes = await server.outcomes(vscode.Uri.parse(uri));
  const params = outcomes?.params ?? [];
  if (params.length === 0) {
    void vscode.window.showInformationMessage('This test has no parameters.');
    return undefined;
  }
  const items = params.map((param) => ({
    label: param.name,
    description: param.overridden ? `${param.value} (file says ${param.written})` : String(param.value ?? param.written),
    param,
  }));
  const picked = items.length > 1 ? await vscode.window.showQuickPick(items, { title: 'Which parameter?' }) : items[0];
  return picked && { uri, name: picked.param.name, current: picked.param.value ?? picked.param.written, written: picked.param.written };
}
