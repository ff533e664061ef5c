import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const EXAMPLE = join(ROOT, 'examples/tickets');

describe('docs/add-a-module.md', () => {
  const guide = readFileSync(join(ROOT, 'docs/add-a-module.md'), 'utf8');

  it('shows the code that the test of the example compiles', () => {
    let file = '';
    const shown: string[] = [];
    for (const [, name, block] of guide.matchAll(/`((?:ticket|server)\.[a-z-]+(?:\.ts)?)`|```m?[jt]s\n(.*?)\n```/gs)) {
      file = name ?? file;
      if (block !== undefined) {
        const code = readFileSync(join(EXAMPLE, file.endsWith('.mjs') ? '' : 'src', file), 'utf8');
        // The formatter indents code in a document to the left margin.
        expect(code.replace(/^ +/gm, '')).toContain(block.replace(/^ +/gm, ''));
        shown.push(file);
      }
    }
    expect(shown.length).toBeGreaterThan(8);
  });

  it('stays short', () => {
    expect(guide.split('\n').length).toBeLessThan(285);
  });
});
