// Keeps the client library from registering the server's commands that this extension runs itself.

import type { ServerCapabilities, StaticFeature, FeatureState } from 'vscode-languageclient/node';

/**
 * The library registers each command that the server lists. The palette calls commands without an
 * argument and some need a panel or a picker, so the extension has its own handlers of that name.
 */
export class CommandOwnership implements StaticFeature {
  constructor(private readonly owned: readonly string[]) {}

  fillClientCapabilities(capabilities: { experimental?: object }): void {
    capabilities.experimental = {
      ...capabilities.experimental,
      fencepost: { status: true, commands: this.owned },
    };
  }

  preInitialize(capabilities: ServerCapabilities): void {
    const provider = capabilities.executeCommandProvider;
    if (provider) {
      provider.commands = provider.commands.filter((command) => !this.owned.includes(command));
    }
  }

  initialize(): void {}

  getState(): FeatureState {
    return { kind: 'static' };
  }

  clear(): void {}
}
