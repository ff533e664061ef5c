import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import type { Plugin } from 'vite';

const read = (path: string): string => readFileSync(path, 'utf8');

/**
 * Adds the page of the frame that renders diagrams. Its scripts are separate from the console's modules, because a
 * frame without an origin can only load classic scripts.
 */
export function diagramFrame(): Plugin {
  return {
    name: 'diagram-frame',
    generateBundle() {
      const mermaid = read(createRequire(import.meta.url).resolve('mermaid/dist/mermaid.min.js'));
      const frame = read(fileURLToPath(new URL('frame.ts', import.meta.url)));
      const scripts = {
        'diagram-mermaid.js': mermaid,
        'diagram-frame.js': transformSync(frame, { loader: 'ts', format: 'iife', minify: true, target: 'es2022' }).code,
      };
      const names = Object.entries(scripts).map(([name, source]) =>
        this.getFileName(this.emitFile({ type: 'asset', name, source })),
      );
      const tags = names.map((name) => `<script src="/console/${name}"></script>`).join('');
      const source = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Diagram</title><body>${tags}</body></html>\n`;
      this.emitFile({ type: 'asset', fileName: 'diagram.html', source });
    },
  };
}
