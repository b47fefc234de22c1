// Finds the litmus files of the workspace and keeps the Test Explorer's tree in step with them.

import * as path from 'node:path';
import * as vscode from 'vscode';
import { MODELS, type Model } from '../protocol';

const PATTERN = '**/*.litmus';

/** What an item of the tree stands for: a folder, a file, or a file under one model. */
export interface Case {
  uri: vscode.Uri;
  model: Model | undefined;
}

export class Discovery implements vscode.Disposable {
  private readonly cases = new WeakMap<vscode.TestItem, Case>();
  private readonly watcher = vscode.workspace.createFileSystemWatcher(PATTERN, false, true, false);

  constructor(private readonly controller: vscode.TestController) {
    this.watcher.onDidCreate((uri) => this.add(uri));
    this.watcher.onDidDelete((uri) => this.remove(uri));
  }

  async findAll(): Promise<void> {
    for (const uri of await vscode.workspace.findFiles(PATTERN)) {
      this.add(uri);
    }
  }

  caseOf(item: vscode.TestItem): Case | undefined {
    return this.cases.get(item);
  }

  dispose(): void {
    this.watcher.dispose();
  }

  private add(uri: vscode.Uri): void {
    const siblings = this.folder(uri);
    const id = uri.toString();
    if (siblings.get(id)) {
      return;
    }
    const file = this.controller.createTestItem(id, path.posix.basename(uri.path), uri);
    this.cases.set(file, { uri, model: undefined });
    for (const model of vscode.workspace.getConfiguration('fencepost', uri).get<Model[]>('check.models', [...MODELS])) {
      const child = this.controller.createTestItem(`${id}#${model}`, model, uri);
      child.sortText = String(MODELS.indexOf(model));
      this.cases.set(child, { uri, model });
      file.children.add(child);
    }
    siblings.add(file);
  }

  private remove(uri: vscode.Uri): void {
    this.folder(uri).delete(uri.toString());
    this.pruneEmptyFolders(this.controller.items);
  }

  /** The items of a file's folder, which are made as they are needed. */
  private folder(uri: vscode.Uri): vscode.TestItemCollection {
    const relative = vscode.workspace.asRelativePath(uri, (vscode.workspace.workspaceFolders?.length ?? 0) > 1);
    let items = this.controller.items;
    let id = 'folder:';
    for (const segment of relative.split('/').slice(0, -1)) {
      id += `/${segment}`;
      const existing = items.get(id) ?? this.controller.createTestItem(id, segment);
      items.add(existing);
      items = existing.children;
    }
    return items;
  }

  private pruneEmptyFolders(items: vscode.TestItemCollection): void {
    items.forEach((item) => {
      if (!this.cases.has(item)) {
        this.pruneEmptyFolders(item.children);
        if (item.children.size === 0) {
          items.delete(item.id);
        }
      }
    });
  }
}
