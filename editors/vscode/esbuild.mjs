// Bundles the extension (Node) and the witness panel's script (browser) into dist/.
import { build, context } from 'esbuild';

const production = process.argv.includes('--production');
const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  logLevel: 'warning',
  target: 'es2022',
};

const bundles = [
  {
    ...shared,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
  },
  {
    ...shared,
    entryPoints: ['src/panel/view/main.ts'],
    outfile: 'dist/panel.js',
    platform: 'browser',
    format: 'iife',
  },
];

if (process.argv.includes('--watch')) {
  for (const bundle of bundles) {
    await (await context(bundle)).watch();
  }
} else {
  await Promise.all(bundles.map((bundle) => build(bundle)));
}
