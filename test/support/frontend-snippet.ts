import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** The code block in docs/frontends.md in this language that contains this word. There must be exactly one. */
export function frontendSnippet(language: string, word = ''): string {
  const blocks = snippetsOf('docs/frontends.md', language).filter((code) => code.includes(word));
  if (blocks.length !== 1) {
    throw new Error(`docs/frontends.md has ${blocks.length} such blocks of ${language}.`);
  }
  return blocks[0]!;
}

/** All code in one language in a document. */
export function snippetsOf(document: string, language: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code!);
}
