// The Test Explorer: a file is a test, its models are its cases.

import * as vscode from 'vscode';
import type { Server } from '../client';
import { Discovery } from './discovery';
import { runFiles } from './run';

export class LitmusTests implements vscode.Disposable {
  private controller: vscode.TestController | undefined;
  private discovery: Discovery | undefined;
  private readonly listener: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.listener = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('fencepost.testExplorer') || event.affectsConfiguration('fencepost.check.models')) {
        this.rebuild();
      }
    });
    this.rebuild();
  }

  /** The tree's root items, once the workspace has been searched. */
  get items(): vscode.TestItemCollection | undefined {
    return this.controller?.items;
  }

  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const { controller, discovery } = this;
    if (controller && discovery) {
      await runFiles(controller, this.server, this.filesOf(request, controller, discovery), request, token);
    }
  }

  dispose(): void {
    this.clear();
    this.listener.dispose();
  }

  private rebuild(): void {
    this.clear();
    if (!vscode.workspace.getConfiguration('fencepost').get('testExplorer.enable', true)) {
      return;
    }
    const controller = vscode.tests.createTestController('fencepost', 'Litmus tests');
    const discovery = new Discovery(controller);
    controller.createRunProfile('Check', vscode.TestRunProfileKind.Run, (request, token) => this.run(request, token), true);
    controller.refreshHandler = () => discovery.findAll();
    controller.resolveHandler = (item) => (item ? undefined : discovery.findAll());
    this.controller = controller;
    this.discovery = discovery;
    void discovery.findAll();
  }

  private clear(): void {
    this.discovery?.dispose();
    this.controller?.dispose();
    this.discovery = undefined;
    this.controller = undefined;
  }

  /** The cases that a request asks for, by file: a folder or a file stands for all below it. */
  private filesOf(
    request: vscode.TestRunRequest,
    controller: vscode.TestController,
    discovery: Discovery,
  ): Map<vscode.TestItem, vscode.TestItem[]> {
    const excluded = new Set(request.exclude ?? []);
    const files = new Map<vscode.TestItem, vscode.TestItem[]>();
    const visit = (item: vscode.TestItem): void => {
      if (excluded.has(item)) {
        return;
      }
      const file = discovery.caseOf(item)?.model ? item.parent : undefined;
      if (file) {
        files.set(file, [...(files.get(file) ?? []), item]);
      } else {
        item.children.forEach(visit);
      }
    };
    if (request.include) {
      request.include.forEach(visit);
    } else {
      controller.items.forEach(visit);
    }
    return files;
  }
}
