// A Chromium page that shows the VS Code server, and the few gestures the tests make in it.

import { chromium } from 'playwright-core';
import { until } from './checks.mjs';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function launch() {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: FLAGS });
  const context = await browser.newContext({ viewport: { width: 1440, height: 960 } });
  const page = await context.newPage();
  page.setDefaultTimeout(20000);
  return { browser, page };
}

export async function openWorkbench(page, port, folder) {
  await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector('.monaco-workbench', { timeout: 60000 });
  await page.waitForSelector('.explorer-folders-view .monaco-list-row', { timeout: 60000 });
}

export async function openFile(page, name) {
  await page.keyboard.press('Control+p');
  await page.locator('.quick-input-widget .quick-input-box input').first().fill(name);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().click();
  await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
}

export async function command(page, title) {
  await page.keyboard.press('F1');
  const input = page.locator('.quick-input-widget .quick-input-box input').first();
  await input.waitFor();
  await input.fill(`>${title}`);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().click();
}

/** The lines of the editor as they look, hints included; VS Code draws spaces as no-break spaces. */
export async function lines(page) {
  const texts = await page.locator('.editor-instance .view-line').allInnerTexts();
  return texts.map((text) => text.replace(/\u00a0/g, ' '));
}

export async function untilLine(page, pattern, timeout = 20000) {
  await until(`a line like ${pattern}`, async () => (await lines(page)).some((line) => pattern.test(line)), {
    timeout,
    describe: async () => (await lines(page)).join('\n'),
  });
}

export async function lenses(page) {
  return page.locator('.codelens-decoration').allInnerTexts();
}

export async function untilLens(page, pattern, timeout = 20000) {
  await until(`a lens like ${pattern}`, async () => (await lenses(page)).some((text) => pattern.test(text.replace(/\u00a0/g, ' '))), {
    timeout,
    describe: async () => (await lenses(page)).join('\n'),
  });
}

export async function statusText(page) {
  return (await page.locator('[id$="fencepost.status"]').first().innerText()).trim();
}

export async function untilStatus(page, pattern, timeout = 20000) {
  await until(`a status like ${pattern}`, async () => pattern.test(await statusText(page).catch(() => '')), {
    timeout,
    describe: () => statusText(page),
  });
}

/** The inside of the witness panel. */
export function panel(page) {
  return page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
}
