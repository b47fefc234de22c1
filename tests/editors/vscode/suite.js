// What must hold inside VS Code's extension host, asked through the API that every extension has.

const vscode = require('vscode');
const { appendFileSync, existsSync } = require('node:fs');
const path = require('node:path');

const results = process.env.FENCEPOST_TEST_RESULTS;
let failed = 0;

function say(line) {
  appendFileSync(results, `${line}\n`);
}

async function check(name, run) {
  const start = Date.now();
  try {
    await run();
    say(`ok - ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    say(`not ok - ${name}`);
    say(String(error.stack).split('\n').slice(0, 6).map((line) => `    ${line}`).join('\n'));
  }
}

function assert(condition, message) {
  if (!condition) {
    throw new Error(message);
  }
}

async function until(what, look, timeout = 15000) {
  const end = Date.now() + timeout;
  let last;
  for (;;) {
    last = await look();
    if (last) {
      return last;
    }
    if (Date.now() > end) {
      throw new Error(`waited ${timeout / 1000} s for: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const file = (name) => vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name);
const everything = (document) => new vscode.Range(0, 0, document.lineCount, 0);
const diagnostics = (document) => vscode.languages.getDiagnostics(document.uri);
const lenses = async (document) =>
  ((await vscode.commands.executeCommand('vscode.executeCodeLensProvider', document.uri, 50)) ?? []).map(
    (lens) => lens.command?.title ?? '',
  );
const hints = async (document) =>
  ((await vscode.commands.executeCommand('vscode.executeInlayHintProvider', document.uri, everything(document))) ?? []).map(
    (hint) => (typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join('')),
  );
const lineOf = (document, text) => document.positionAt(document.getText().indexOf(text)).line;

async function show(name) {
  const document = await vscode.workspace.openTextDocument(file(name));
  const editor = await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
  return { document, editor };
}

async function hover(document, text) {
  const at = document.positionAt(document.getText().indexOf(text) + 1);
  const found = (await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at)) ?? [];
  return found.flatMap((one) => one.contents.map((content) => content.value ?? content)).join('\n');
}

async function checkedAnew(api, document) {
  return until(`${document.fileName} checked`, async () => {
    const outcomes = await api.server.outcomes(document.uri);
    return outcomes && !outcomes.stale && outcomes.state === 'done' && outcomes;
  });
}

exports.run = async () => {
  const extension = vscode.extensions.getExtension('fencepost.fencepost');
  assert(extension, 'the extension is not installed');
  const { document, editor } = await show('SB.litmus');
  const api = await extension.activate();

  await check('a .litmus file has the language litmus', async () => {
    assert(document.languageId === 'litmus', document.languageId);
  });

  await check('a binary that the workspace names is not run', async () => {
    const configured = vscode.workspace.getConfiguration('fencepost').get('server.path');
    assert(!configured.includes('chosen-by-the-workspace'), configured);
    await until('the server runs', () => api.server.current.state === 'running');
  });

  await check('SB is checked under all three models', async () => {
    const outcomes = await checkedAnew(api, document);
    const verdicts = ['SC', 'TSO', 'PSO'].map((model) => outcomes.models[model].verdicts[0].verdict).join();
    assert(verdicts === 'never,sometimes,sometimes', verdicts);
  });

  await check('the lens says verdicts and offers witness, fences and outcomes', async () => {
    const titles = await until('lenses', async () => {
      const found = await lenses(document);
      return found.some((title) => /sometimes under TSO, PSO/.test(title)) && found;
    });
    for (const wanted of [/never under SC/, /^Show witness/, /^Suggest fences/, /^Outcomes \(3 · 4 · 4\)/]) {
      assert(titles.some((title) => wanted.test(title)), `${wanted} is not among ${titles.join(' | ')}`);
    }
  });

  await check('the hint names the models that reach the condition', async () => {
    await until('the hint', async () => (await hints(document)).some((text) => /⟵ reachable under TSO/.test(text)));
  });

  await check('the weak outcome is noted at the condition', async () => {
    const found = await until('a diagnostic', () =>
      diagnostics(document).find((one) => one.severity === vscode.DiagnosticSeverity.Information),
    );
    assert(found.range.start.line === lineOf(document, 'exists'), `at line ${found.range.start.line}`);
    assert(!diagnostics(document).some((one) => one.severity === vscode.DiagnosticSeverity.Error), 'there is an error');
  });

  await check('hovering the condition shows the matrix and a witness', async () => {
    const text = await hover(document, 'exists');
    for (const wanted of [/outcome\s+SC\s+TSO\s+PSO/, /P0:r0=0\s+P1:r1=0/, /witness under TSO/, /flush x=1/, /buffers\s+memory/]) {
      assert(wanted.test(text), `${wanted} is not in\n${text}`);
    }
  });

  await check('the witness panel opens beside, once, and leaves the focus where it was', async () => {
    const tabs = () =>
      vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => tab.input?.viewType?.includes('fencepost.witness'));
    await vscode.commands.executeCommand('fencepost.showWitness');
    await until('the panel', () => tabs().length === 1);
    assert(vscode.window.activeTextEditor?.document === document, 'the editor lost the focus');
    await vscode.commands.executeCommand('fencepost.showWitness', { uri: document.uri.toString(), model: 'PSO', condition: 0 });
    assert(tabs().length === 1, `${tabs().length} panels`);
    assert(api.panel.documentUri?.toString() === document.uri.toString(), 'the panel shows another document');
    await until('hints at the loads', async () => (await hints(document)).filter((text) => /⟵ 0 \(initial\)/.test(text)).length === 2);
    await vscode.window.tabGroups.close(tabs());
    await until('the hints at the loads go', async () => !(await hints(document)).some((text) => /initial/.test(text)));
  });

  await check('every surface has a switch, and one switch turns all off', async () => {
    const settings = vscode.workspace.getConfiguration('fencepost');
    const set = (key, value) => settings.update(key, value, vscode.ConfigurationTarget.Workspace);
    await set('surfaces.lenses', false);
    await until('no lenses', async () => (await lenses(document)).length === 0);
    assert((await hints(document)).length > 0, 'the hints went with the lenses');
    await set('surfaces.lenses', undefined);
    await until('lenses again', async () => (await lenses(document)).length > 0);
    await set('surfaces.enable', false);
    await until('nothing', async () => {
      const notes = diagnostics(document).filter((one) => one.severity !== vscode.DiagnosticSeverity.Error);
      return (await lenses(document)).length === 0 && (await hints(document)).length === 0 && notes.length === 0;
    });
    await set('surfaces.enable', undefined);
    await until('all again', async () => (await lenses(document)).length > 0 && (await hints(document)).length > 0);
  });

  await check('an edit makes results stale, not gone', async () => {
    const before = await lenses(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(lineOf(document, 'r0 = y'), 0), '  r0 = = ;\n'));
    await until('the syntax error', () => diagnostics(document).some((one) => one.severity === vscode.DiagnosticSeverity.Error));
    const after = await lenses(document);
    assert(after.length >= before.length, `lenses went away: ${after.join(' | ')}`);
    assert(after.some((title) => /stale/i.test(title)), `no lens says stale: ${after.join(' | ')}`);
    assert(after.some((title) => /sometimes/.test(title)), `the verdict is gone: ${after.join(' | ')}`);
    const outcomes = await api.server.outcomes(document.uri);
    assert(outcomes.stale && outcomes.models.TSO.outcomes.length === 4, 'the outcomes are gone');
    assert(api.status.of(document.uri)?.stale, 'the status does not say stale');
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await checkedAnew(api, document);
  });

  await check('the lens over a parameter sets the value that is typed, and takes it back', async () => {
    await editor.edit((edit) => edit.insert(new vscode.Position(lineOf(document, 'shared') + 1, 0), 'param N = 3;\n'));
    const lens = (title) => until(title, async () => (await lenses(document)).includes(title));
    await lens('N = 3 · change');
    const uri = document.uri.toString();
    // The box starts with the current value; accepting it is all that can be typed from here.
    const asked = vscode.commands.executeCommand('fencepost.setParam', { uri, name: 'N', current: 5, written: '3' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    await asked;
    await lens('N = 5 (file says 3) · change');
    assert((await api.server.outcomes(document.uri)).params[0].value === 5, 'the outcomes do not know it');
    await vscode.commands.executeCommand('fencepost.setParam', { uri, name: 'N', reset: true });
    await lens('N = 3 · change');
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await checkedAnew(api, document);
  });

  await check('taking “Insert mfence” makes the condition unreachable after the save', async () => {
    const at = new vscode.Range(lineOf(document, 'exists'), 0, lineOf(document, 'exists'), 6);
    const action = await until('the action', async () => {
      const found = (await vscode.commands.executeCommand('vscode.executeCodeActionProvider', document.uri, at)) ?? [];
      return found.find((one) => /^Insert `?mfence`? in P0 and P1/.test(one.title));
    }, 30000);
    assert(/unreachable under TSO, PSO/.test(action.title), action.title);
    if (action.edit) {
      await vscode.workspace.applyEdit(action.edit);
    } else {
      await vscode.commands.executeCommand(action.command.command, ...(action.command.arguments ?? []));
    }
    await until('two fences', () => (document.getText().match(/mfence/g) ?? []).length === 2);
    await document.save();
    await until('unreachable', async () => (await hints(document)).some((text) => /unreachable under SC, TSO, PSO/.test(text)));
    await until('the old expectation fails', () =>
      diagnostics(document).some((one) => one.severity === vscode.DiagnosticSeverity.Error && one.range.start.line === lineOf(document, 'expect')),
    );
  });

  await check('a long check stops at once when cancelled', async () => {
    const long = (await show('long.litmus')).document;
    await until('checking', async () => (await api.server.outcomes(long.uri))?.state === 'checking');
    const start = Date.now();
    await vscode.commands.executeCommand('fencepost.cancel');
    await until('cancelled', async () => (await api.server.outcomes(long.uri))?.state === 'cancelled', 5000);
    assert(Date.now() - start < 2000, `it took ${Date.now() - start} ms`);
    const outcomes = await api.server.outcomes(long.uri);
    assert(!Object.values(outcomes.models).some((model) => model.verdicts.some((one) => one?.verdict === 'never')), 'a cancelled check claims never');
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });

  await check('the Test Explorer lists files with their models', async () => {
    const folder = await until('the folder', () => api.tests.items?.get('folder:/shapes'));
    const names = [];
    folder.children.forEach((item) => names.push(`${item.label}:${item.children.size}`));
    assert(names.sort().join() === 'LB.litmus:3,MP.litmus:3,failing.litmus:3', names.join());
  });

  await check('a run of the Test Explorer stops at once when cancelled, and can be run again', async () => {
    const long = api.tests.items.get(file('long.litmus').toString());
    const runLong = async (cancelAfter) => {
      const source = new vscode.CancellationTokenSource();
      const run = api.tests.run(new vscode.TestRunRequest([long]), source.token);
      await until('checking', async () => (await api.server.outcomes(long.uri))?.state === 'checking');
      setTimeout(() => source.cancel(), cancelAfter);
      const start = Date.now();
      await run;
      return Date.now() - start;
    };
    assert((await runLong(300)) < 3000, 'the run did not stop');
    await until('cancelled', async () => (await api.server.outcomes(long.uri))?.state === 'cancelled', 3000);
    assert((await runLong(300)) < 3000, 'the second run did not stop');
  });

  await check('herd columns work: formatting keeps them aligned, hovers explain instructions', async () => {
    const herd = (await show('shapes/LB.litmus')).document;
    await checkedAnew(api, herd);
    assert(/load|store|move/i.test(await hover(herd, 'MOV')), await hover(herd, 'MOV'));
    const edits = await vscode.commands.executeCommand('vscode.executeFormatDocumentProvider', herd.uri, { tabSize: 2, insertSpaces: true });
    assert(Array.isArray(edits ?? []), 'no formatter');
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });

  await check('an untitled example is checked as well', async () => {
    await vscode.commands.executeCommand('fencepost.openExample');
    const example = vscode.window.activeTextEditor.document;
    assert(example.languageId === 'litmus' && example.isUntitled, 'no untitled test');
    await checkedAnew(api, example);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  await check('what the walkthrough and the manifest name exists', async () => {
    const { contributes } = extension.packageJSON;
    for (const step of contributes.walkthroughs[0].steps) {
      assert(existsSync(path.join(extension.extensionPath, step.media.markdown)), step.media.markdown);
    }
    const commands = await vscode.commands.getCommands(true);
    for (const { command } of contributes.commands) {
      assert(commands.includes(command), command);
    }
  });

  say('# extension host closed');
  if (failed > 0) {
    throw new Error(`${failed} failed`);
  }
};
