// Marks in the source: the line of the panel's step, and the line of the step under the pointer.

import * as vscode from 'vscode';
import type { Range } from 'vscode-languageclient';

export class SourceMarks implements vscode.Disposable {
  private readonly current = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.stackFrameHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.rangeHighlightForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private readonly hovered = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    borderWidth: '1px',
    borderStyle: 'dashed',
    borderColor: new vscode.ThemeColor('editor.findMatchHighlightBorder'),
  });

  markCurrent(uri: vscode.Uri, range: Range | null): void {
    mark(this.current, uri, range);
  }

  markHovered(uri: vscode.Uri, range: Range | null): void {
    mark(this.hovered, uri, range);
  }

  clear(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      editor.setDecorations(this.current, []);
      editor.setDecorations(this.hovered, []);
    }
  }

  dispose(): void {
    this.current.dispose();
    this.hovered.dispose();
  }
}

function mark(decoration: vscode.TextEditorDecorationType, uri: vscode.Uri, range: Range | null): void {
  for (const editor of vscode.window.visibleTextEditors) {
    const here = range !== null && editor.document.uri.toString() === uri.toString();
    editor.setDecorations(decoration, here ? [toRange(range)] : []);
  }
}

export function toRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
