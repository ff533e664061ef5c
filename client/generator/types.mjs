import { format } from 'oxfmt';

const WIDTH = 120;

/**
 * Formats the types of Hey API in fewer lines. Nothing is removed. Only comments may exceed the line width of the
 * project.
 */
export async function shortened(types) {
  const style = { printWidth: WIDTH, singleQuote: true, objectWrap: 'collapse' };
  const { code } = await format('types.ts', types.replace(/\/\*\*\n\s*\* (.*)\n\s*\*\//g, '/** $1 */'), style);
  const operations = /(?<=\nexport type \w+Data = \{\n)(?: {2}.*\n)+(?=\};)/g;
  return inBlocks(withFilledUnions(code).replace(operations, withShortParts));
}

/** Fills the lines of a union instead of using one line per member. */
function withFilledUnions(types) {
  return types.replace(/(\n +)\| (?:'.*'|\w+)(?:\1\| (?:'.*'|\w+)){2,}(?=;)/g, (union, start) => {
    const members = union.replaceAll(start, ' ').trim();
    const line = new RegExp(`(.{1,${WIDTH - start.length}})(?: (?=\\|)|$)`, 'g');
    return members.replace(line, `${start}$1`);
  });
}

/**
 * Puts `body?: never; query?: never; url: '/api/v1/chat/{chat_id}';` on one line, before the members that need several
 * lines.
 */
function withShortParts(parts) {
  const short = /(?<!\*\/\n)^ {2}(\w+\??: .+;)\n/gm;
  const line = `  ${Array.from(parts.matchAll(short), ([, part]) => part).join(' ')}\n`;
  return parts.includes('  url: ') && line.length <= WIDTH ? line + parts.replace(short, '') : parts;
}

/** Removes blank lines between the types of one operation, and between one-line types. */
function inBlocks(types) {
  return types
    .replace(/\n\n(export type (\w+)Responses = [^=]+;\n)\n(?=export type \2Response =)/g, '\n$1')
    .replace(/(?<=\nexport type \w+ = [^{}\n]+;\n)\n(?=(?:\/\*\* .* \*\/\n)?export type \w+ = [^{}\n]+;\n)/g, '');
}
