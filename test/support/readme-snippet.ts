import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const README = join(__dirname, '../../README.md');

/** The only block of code in this language, with such a word in it, that the README has. */
export function readmeSnippet(language: string, word = ''): string {
  const found = readFileSync(README, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  const blocks = [...found].map(([, code]) => code!).filter((code) => code.includes(word));
  if (blocks.length !== 1) {
    throw new Error(`The README has ${blocks.length} such blocks of ${language}.`);
  }
  return blocks[0]!;
}
