import { format } from 'oxfmt';

const WIDTH = 120;

/** The types of Hey API in fewer lines. Nothing is left out, and only comments are longer than a line of the project may be. */
export async function shortened(types) {
  const style = { printWidth: WIDTH, singleQuote: true, objectWrap: 'collapse' };
  const { code } = await format('types.ts', types.replace(/\/\*\*\n\s*\* (.*)\n\s*\*\//g, '/** $1 */'), style);
  const operations = /(?<=\nexport type \w+Data = \{\n)(?: {2}.*\n)+(?=\};)/g;
  return inBlocks(withFilledUnions(code).replace(operations, withShortParts));
}

/** The names and texts of a union fill their lines, as words do. */
function withFilledUnions(types) {
  return types.replace(/(\n +)\| (?:'.*'|\w+)(?:\1\| (?:'.*'|\w+)){2,}(?=;)/g, (union, start) => {
    const members = union.replaceAll(start, ' ').trim();
    const line = new RegExp(`(.{1,${WIDTH - start.length}})(?: (?=\\|)|$)`, 'g');
    return members.replace(line, `${start}$1`);
  });
}

/** `body?: never; query?: never; url: '/api/v1/chat/{chat_id}';` on a line, before the parts that need lines of their own. */
function withShortParts(parts) {
  const short = /(?<!\*\/\n)^ {2}(\w+\??: .+;)\n/gm;
  const line = `  ${Array.from(parts.matchAll(short), ([, part]) => part).join(' ')}\n`;
  return parts.includes('  url: ') && line.length <= WIDTH ? line + parts.replace(short, '') : parts;
}

/** What one operation takes and answers stands together, and so do types of one line. */
function inBlocks(types) {
  return types
    .replace(/\n\n(export type (\w+)Responses = [^=]+;\n)\n(?=export type \2Response =)/g, '\n$1')
    .replace(/(?<=\nexport type \w+ = [^{}\n]+;\n)\n(?=(?:\/\*\* .* \*\/\n)?export type \w+ = [^{}\n]+;\n)/g, '');
}
