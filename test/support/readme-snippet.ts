import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const README = join(__dirname, '../../README.md');

/** The only block of code in this language that the README has. */
export function readmeSnippet(language: string): string {
  const blocks = [...readFileSync(README, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))];
  if (blocks.length !== 1) {
    throw new Error(`The README has ${blocks.length} blocks of ${language}.`);
  }
  return blocks[0]![1]!;
}
