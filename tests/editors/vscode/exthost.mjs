// Runs a suite inside VS Code's extension host: node exthost.mjs PORT WORKSPACE DRIVER SUITE.js
// The browser is needed to open a window; what counts is what the suite writes.

import { readFileSync } from 'node:fs';
import { launch } from './browser.mjs';

const [port, workspace, driver, suite, results, artifacts] = process.argv.slice(2);
const remote = (path) => `vscode-remote://127.0.0.1:${port}${path}`;
const { browser, page } = await launch();
let exited;
const exit = new Promise((resolve) => {
  exited = resolve;
});
await page.exposeFunction('codeAutomationLog', () => {});
await page.exposeFunction('codeAutomationExit', (code) => exited(code));
const payload = [
  ['extensionDevelopmentPath', remote(driver)],
  ['extensionTestsPath', remote(suite)],
  ['skipWelcome', 'true'],
];
await page.goto(
  `http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}&payload=${encodeURIComponent(JSON.stringify(payload))}`,
);
const code = await Promise.race([exit, new Promise((resolve) => setTimeout(() => resolve('no answer in 240 s'), 240000))]);
if (code !== 0) {
  await page.screenshot({ path: `${artifacts}/exthost-failed.png` });
}
await browser.close();
try {
  process.stdout.write(readFileSync(results, 'utf8'));
} catch {
  console.log(`not ok - the extension host ran the suite (${code})`);
}
process.exit(code === 0 ? 0 : 1);
