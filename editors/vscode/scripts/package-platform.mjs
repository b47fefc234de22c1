// Makes a .vsix for one platform with the server inside: node scripts/package-platform.mjs [BINARY]
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as path from 'node:path';

const here = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const name = process.platform === 'win32' ? 'fencepost.exe' : 'fencepost';
const binary = path.resolve(process.argv[2] ?? path.join(here, '..', '..', 'target', 'release', name));
if (!existsSync(binary)) {
  console.error(`${binary} does not exist: build it with  cargo build --release`);
  process.exit(2);
}

const target = `${process.platform}-${process.arch}`;
const folder = path.join(here, 'server');
mkdirSync(folder, { recursive: true });
try {
  copyFileSync(binary, path.join(folder, name));
  chmodSync(path.join(folder, name), 0o755);
  const vsce = path.join(here, 'node_modules', '@vscode', 'vsce', 'vsce');
  const flags = ['--no-dependencies', '--allow-missing-repository', '--skip-license', '--no-rewrite-relative-links'];
  const out = `fencepost-${target}.vsix`;
  execFileSync(process.execPath, [vsce, 'package', ...flags, '--target', target, '--out', out], { cwd: here, stdio: 'inherit' });
} finally {
  // A server left here would be taken for the bundled one by the next plain package.
  rmSync(folder, { recursive: true, force: true });
}
