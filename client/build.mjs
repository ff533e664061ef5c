// Builds the package into `dist` or another folder: ES modules, CommonJS bundles, and their types.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, 'dist'));
const entryPoints = ['index', 'webhooks', 'use-chat'].map((name) => join(here, `src/${name}.ts`));

rmSync(folder, { recursive: true, force: true });
for (const [name, format, type] of [
  ['esm', 'esm', 'module'],
  ['cjs', 'cjs', 'commonjs'],
]) {
  const outdir = join(folder, name);
  await build({
    entryPoints,
    outdir,
    format,
    bundle: true,
    splitting: format === 'esm',
    target: 'es2022',
    minify: true,
  });
  // Declares the module format of the files in this folder.
  writeFileSync(join(outdir, 'package.json'), `${JSON.stringify({ type, sideEffects: false })}\n`);
}

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const declarations = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', join(folder, 'cjs')];
execFileSync(process.execPath, [compiler, '-p', here, ...declarations], { stdio: 'inherit' });
for (const file of readdirSync(join(folder, 'cjs'), { recursive: true }).filter((name) => name.endsWith('.d.ts'))) {
  const types = readFileSync(join(folder, 'cjs', file), 'utf8');
  const copy = join(folder, 'esm', file);
  mkdirSync(join(copy, '..'), { recursive: true });
  // ES modules need file extensions in import paths.
  writeFileSync(copy, types.replace(/(from |import\()(['"])(\.{1,2}\/[^'"]+)\2/g, '$1$2$3.js$2'));
}
