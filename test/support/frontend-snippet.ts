import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCUMENT = join(__dirname, '../../docs/frontends.md');

/** The code in docs/frontends.md that is of this language and contains this word. There must be exactly one block. */
export function frontendSnippet(language: string, word = ''): string {
  const found = readFileSync(DOCUMENT, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  const blocks = [...found].map(([, code]) => code!).filter((code) => code.includes(word));
  if (blocks.length !== 1) {
    throw new Error(`docs/frontends.md has ${blocks.length} such blocks of ${language}.`);
  }
  return blocks[0]!;
}
