// What a person sees: node screen.mjs PORT WORKSPACE ARTIFACTS

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { command, launch, lenses, lines, openFile, openWorkbench, panel, untilLens, untilLine, untilStatus } from './browser.mjs';
import { assert, check, close, until } from './checks.mjs';

const [port, workspace, artifacts, state] = process.argv.slice(2);
const { browser, page } = await launch();
const shot = (name) => page.screenshot({ path: path.join(artifacts, `${name}.png`) });
const failed = (name) => shot(`failed-${name.replace(/\W+/g, '-')}`);
const see = (name, run) => check(name, run, failed);
const original = readFileSync(path.join(workspace, 'SB.litmus'), 'utf8');
const witness = panel(page);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Setting files are watched: the window follows within a moment. */
async function theme(name) {
  for (const scope of ['User', 'Machine']) {
    const file = path.join(state, 'data', scope, 'settings.json');
    const settings = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...settings, 'workbench.colorTheme': name }, null, 2));
  }
}

async function untilThemed(kind) {
  await page.waitForSelector(`.monaco-workbench.${kind}`);
  await page.waitForTimeout(500);
}

async function goToLine(text) {
  const line = readFileSync(path.join(workspace, 'SB.litmus'), 'utf8').split('\n').findIndex((it) => it.includes(text)) + 1;
  await page.keyboard.press('Control+1');
  await page.keyboard.press('Control+g');
  await page.locator('.quick-input-widget input').first().fill(`:${line}`);
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

async function hoverCondition() {
  await page.locator('.view-line', { hasText: 'exists' }).locator('span span').first().hover();
  const card = page.locator('.monaco-hover:visible', { hasText: 'witness under' }).first();
  await card.waitFor();
  await page.waitForTimeout(400);
  return card;
}

/** Accessibility rules that the panel breaks, by axe. */
async function barriers() {
  const frame = page.frames().find((it) => it.url().includes('fake.html'));
  assert(frame, 'the panel has no frame');
  await frame.evaluate(axe);
  const { violations } = await frame.evaluate(() => globalThis.axe.run('main', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] }));
  return violations.map((it) => `${it.id}: ${it.nodes.map((node) => node.html.slice(0, 120)).join(' ')}`);
}

async function assertNoBarriers() {
  const found = await barriers();
  assert(found.length === 0, found.join('\n'));
}

await openWorkbench(page, port, workspace);
await command(page, 'View: Toggle Primary Side Bar Visibility');

await see('SB shows lens, hint, note and status', async () => {
  await openFile(page, 'SB.litmus');
  await untilLens(page, /sometimes under TSO, PSO · never under SC/, 60000);
  await untilLens(page, /Show witness/);
  await untilLine(page, /exists .*⟵ reachable under TSO/);
  await page.waitForSelector('.squiggly-info', { state: 'attached' });
  await untilStatus(page, /checked/);
  await shot('editor-dark');
});

await see('hovering the condition shows matrix and witness', async () => {
  const card = await hoverCondition();
  const text = (await card.innerText()).replace(/\u00a0/g, ' ');
  assert(/SC\s+TSO\s+PSO/.test(text) && /flush x=1/.test(text), text);
  await shot('hover-dark');
  await page.keyboard.press('Escape');
});

await see('“Show witness” opens the panel at the start', async () => {
  await page.locator('.codelens-decoration a', { hasText: 'Show witness' }).last().click();
  await witness.locator('.caption', { hasText: 'Start' }).waitFor({ timeout: 30000 });
  await witness.locator('.matrix button[aria-pressed="true"]').waitFor();
  const cells = await witness.locator('.machine .box').allInnerTexts();
  assert(cells.join() === 'x = 0,y = 0', cells.join());
  assert((await witness.locator('svg [data-step]').count()) >= 4, 'the graph has no events');
  const why = witness.getByRole('region', { name: 'Why not under SC' });
  const cycle = await why.getByRole('listitem').allInnerTexts();
  assert(cycle.length === 4 && /reads before/.test(cycle.join()), `no cycle tells why not under SC: ${cycle.join()}`);
});

await see('stepping on with button and keys moves stores through the buffers', async () => {
  await witness.getByRole('button', { name: 'One step on' }).click();
  await witness.locator('.caption', { hasText: 'Step 1 of 6' }).waitFor();
  await witness.locator('.box.changed', { hasText: 'x = 1' }).waitFor();
  const slider = witness.getByRole('slider', { name: 'Step' });
  await slider.focus();
  await slider.press('ArrowRight');
  await witness.locator('.caption', { hasText: 'Step 2 of 6' }).waitFor();
  await slider.press('ArrowRight');
  await witness.locator('.caption', { hasText: 'Step 3 of 6' }).waitFor();
  const waiting = await witness.locator('.machine tr', { hasText: 'store buffer' }).locator('.box').allInnerTexts();
  assert(waiting.length === 2, `both stores should wait in their buffers: ${waiting.join()}`);
  assert(/P\d/.test((await slider.getAttribute('aria-valuetext')) ?? ''), 'the slider does not say its step');
  await shot('witness-dark');
  await assertNoBarriers();
  await slider.press('End');
  await witness.locator('.caption', { hasText: 'Step 6 of 6' }).waitFor();
  await slider.press('Home');
  await witness.locator('.caption', { hasText: 'Start' }).waitFor();
});

await see('a step marks its line, and the cursor marks its steps', async () => {
  const row = witness.locator('.steps [role=option]').first();
  await row.hover();
  await until('a marked line', async () => (await page.locator('.view-overlays [class*="ced-"]').count()) > 0);
  await goToLine('y = 1;');
  await until('marked steps', async () => (await witness.locator('.steps .at-cursor').count()) === 2);
});

await see('models and outcomes can be chosen without a mouse', async () => {
  const chosen = witness.locator('.matrix button[aria-pressed="true"]');
  await chosen.focus();
  await chosen.press('ArrowRight');
  await page.keyboard.press('Enter');
  await witness.locator('h2', { hasText: 'under PSO' }).waitFor();
  await witness.locator('.matrix button[aria-pressed="true"]').press('ArrowDown');
  await page.keyboard.press('Enter');
  await witness.locator('.matrix tr.chosen', { hasText: 'P1:r1=1' }).waitFor();
});

await see('the panel reopens as it was after a reload', async () => {
  await witness.getByRole('button', { name: 'One step on' }).click();
  await witness.locator('.caption', { hasText: 'Step 1 of' }).waitFor();
  // VS Code's own reload: it writes down the state of the window first.
  await page.evaluate(() => {
    globalThis.beforeReload = true;
  });
  await command(page, 'Developer: Reload Window');
  await until('the window is a new one', async () => !(await page.evaluate(() => globalThis.beforeReload).catch(() => true)));
  await witness.locator('.caption', { hasText: 'Step 1 of' }).waitFor({ timeout: 60000 });
  await witness.locator('.matrix tr.chosen', { hasText: 'P1:r1=1' }).waitFor();
  await witness.locator('h2', { hasText: 'under PSO' }).waitFor();
});

await see('light: everything follows the theme', async () => {
  await theme('Default Light Modern');
  await untilThemed('vs');
  await untilLens(page, /sometimes under TSO/);
  await page.locator('.codelens-decoration a', { hasText: 'Show witness' }).last().click();
  await witness.locator('.caption', { hasText: 'Start' }).waitFor();
  for (let step = 0; step < 4; step += 1) {
    await witness.getByRole('button', { name: 'One step on' }).click();
  }
  await witness.locator('.box.changed').waitFor();
  await shot('witness-light');
  await assertNoBarriers();
  const colour = await witness.locator('body').evaluate((body) => getComputedStyle(body).color);
  const [red] = colour.match(/\d+/g).map(Number);
  assert(red < 128, `light text on a light ground: ${colour}`);
  await hoverCondition();
  await shot('hover-light');
  await page.keyboard.press('Escape');
});

await see('high contrast: the panel is still readable', async () => {
  await theme('Default High Contrast');
  await untilThemed('hc-black');
  await shot('witness-contrast');
  await assertNoBarriers();
  await theme('Default Dark Modern');
  await untilThemed('vs-dark');
});

await see('broken syntax makes results stale, not gone', async () => {
  await goToLine('r0 = y;');
  await page.keyboard.press('End');
  await page.keyboard.type(' r2 = = ;');
  await page.waitForSelector('.squiggly-error', { state: 'attached' });
  await untilLens(page, /stale/i);
  assert((await lenses(page)).some((text) => /sometimes/.test(text)), 'the verdict is gone');
  await witness.locator('.badge.stale').waitFor();
  assert((await witness.locator('.steps [role=option]').count()) > 0, 'the steps are gone');
  await shot('stale-dark');
  // How much one undo takes back depends on how fast was typed.
  await until('the text as it was', async () => {
    const broken = (await lines(page)).some((line) => /\br2\b/.test(line));
    if (broken) {
      await page.keyboard.press('Control+z');
    }
    return !broken;
  }, { describe: async () => (await lines(page)).join('\n') });
  await page.keyboard.press('Control+s');
  await untilStatus(page, /: checked/);
});

await see('“Insert mfence” is a quick fix; after the save the hint says unreachable', async () => {
  await untilLens(page, /checked · as expected\s*\|\s*Check now/);
  await goToLine('exists');
  await page.keyboard.press('Control+.');
  const action = page.locator('.action-widget .monaco-list-row', { hasText: /Insert .*mfence.* in P0 and P1/ }).first();
  await action.waitFor({ timeout: 30000 });
  await shot('fences-dark');
  // The pointer may be over a shield that VS Code draws for menus; the keys are what people use.
  await until('the action has the focus', async () => {
    const focused = (await action.getAttribute('class')).includes('focused');
    if (!focused) {
      await page.keyboard.press('ArrowDown');
    }
    return focused;
  });
  await page.keyboard.press('Enter');
  await untilLine(page, /^\s*mfence;/);
  await page.keyboard.press('Control+s');
  await untilLine(page, /exists .*⟵ unreachable under SC, TSO, PSO/);
  await page.waitForSelector('.squiggly-error', { state: 'attached' });
  await untilLens(page, /never under SC, TSO, PSO/);
  await witness.locator('.notice', { hasText: 'No execution under TSO ends with P0:r0=0 P1:r1=0' }).waitFor();
  await shot('fenced-dark');
  // A text that changes on the disk is checked as well.
  writeFileSync(path.join(workspace, 'SB.litmus'), original);
  await untilLine(page, /exists .*⟵ reachable under TSO/);
});

await see('a long check is cancelled from its progress', async () => {
  await openFile(page, 'long.litmus');
  await untilStatus(page, /checking/);
  // The progress is quiet: it waits in the status bar until somebody asks for it.
  await page.locator('.statusbar-item', { hasText: 'Checking long' }).first().click();
  const progress = page.locator('.notification-list-item', { hasText: 'long' }).first();
  await progress.waitFor();
  await shot('progress-dark');
  await progress.hover();
  await progress.getByRole('button', { name: 'Cancel' }).click();
  await untilStatus(page, /stopped/, 5000);
  await progress.waitFor({ state: 'detached' });
  await untilLens(page, /stopped/);
  await shot('cancelled-dark');
  assert(!(await lenses(page)).some((text) => /never/.test(text)), 'a cancelled check claims never');
});

await see('the status item opens its details', async () => {
  await openFile(page, 'SB.litmus');
  await untilStatus(page, /: checked/);
  await page.locator('[id$="fencepost.status"]').first().click();
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'everything explored' }).first().waitFor();
  await shot('status-dark');
  await page.keyboard.press('Escape');
});

await see('the Test Explorer runs a folder; the failed expectation is at its line', async () => {
  await page.locator('.tab[aria-label^="Witness"]').hover();
  await page.locator('.tab[aria-label^="Witness"] .codicon-close').click();
  await command(page, 'Testing: Focus on Test Explorer View');
  const folder = page.locator('.test-explorer .monaco-list-row', { hasText: 'shapes' }).first();
  await folder.waitFor();
  await folder.hover();
  await folder.locator('a[aria-label^="Run Test"], a[title^="Run Test"], .codicon-testing-run-icon').first().click();
  await until('the folder has failed', async () => /failed/i.test((await folder.getAttribute('aria-label')) ?? ''), {
    timeout: 60000,
    describe: async () => (await page.locator('.test-explorer .monaco-list-row').evaluateAll((rows) => rows.map((row) => row.ariaLabel))).join('\n'),
  });
  await folder.click();
  const failing = page.locator('.test-explorer .monaco-list-row', { hasText: 'failing.litmus' }).first();
  if (!(await failing.isVisible())) {
    await page.keyboard.press('ArrowRight');
  }
  await failing.dblclick();
  await page.keyboard.press('ArrowRight');
  const model = (name) => page.locator(`.test-explorer .monaco-list-row[aria-level="3"]`, { hasText: name }).first();
  const label = async (name) => (await model(name).getAttribute('aria-label')) ?? '';
  await until('TSO failed, SC passed', async () => /failed/i.test(await label('TSO')) && /passed/i.test(await label('SC')));
  await openFileAtFailure();
  await untilLens(page, /1 expectation fails/);
  await shot('tests-dark');
});

async function openFileAtFailure() {
  await page.locator('.test-explorer .monaco-list-row[aria-level="3"]', { hasText: 'TSO' }).first().dblclick();
  await untilLine(page, /expect SC never, TSO never/);
  await page.getByText(/The file expects .never. under TSO; the check found .sometimes/).first().waitFor();
}

await browser.close();
process.exit(close('screen'));
