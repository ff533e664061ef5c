import { parse } from 'papaparse';
import { DocumentFailure } from '../document-failure';
import { type DocumentText, DocumentWriter } from './document-text';
import { readHtml } from './html';
import { namedKind } from './named-kind';
import { TableRows } from './table-rows';

/** How much of a file is checked for its kind. */
const START = 65_536;

/** Signs of text that other programs than editors write. */
const FORMATS_AS_TEXT = /^(?:\{\\rtf|%!PS)/;

const DECLARED_CHARSET =
  /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})|<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;

const XML_DECLARATION = /^<\?xml[^>]{0,200}>/i;
const HTML_START = /^<(?:!doctype\s+html|html|head|body)[\s>]/i;

/** Reads every format that is text. @throws DocumentFailure */
export function readPlainText(bytes: Buffer, filename: string): DocumentText {
  const text = decoded(bytes);
  const kind = namedKind(filename);
  if (FORMATS_AS_TEXT.test(text)) {
    throw new DocumentFailure('type_not_supported');
  }
  if (startsAsHtml(text.slice(0, START)) || (kind === 'html' && /<[a-z!]/i.test(text))) {
    return readHtml(text);
  }
  switch (kind) {
    case 'csv':
    case 'tsv':
      return readTable(text, kind === 'tsv' ? '\t' : '');
    case 'markdown':
      return readMarkdown(text);
    default:
      return wholeText(text).finish();
  }
}

/** Whether the first element, behind comments, is one of HTML. */
function startsAsHtml(text: string): boolean {
  let rest = text.trimStart().replace(XML_DECLARATION, '').trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4);
    if (end === -1) {
      return false;
    }
    rest = rest.slice(end + 3).trimStart();
  }
  return HTML_START.test(rest);
}

/** @throws DocumentFailure `type_not_supported` if it is no text, `encoding` if its encoding is not known */
function decoded(bytes: Buffer): string {
  const encoding = markedEncoding(bytes);
  const text = decode(bytes, encoding);
  if (text !== null) {
    return text;
  }
  const start = bytes.subarray(0, START);
  if (encoding !== 'utf-8' || isBinary(start)) {
    throw new DocumentFailure(encoding === 'utf-8' ? 'type_not_supported' : 'encoding');
  }
  const [, ofXml, ofHtml] = DECLARED_CHARSET.exec(start.toString('latin1')) ?? [];
  const other = decode(bytes, ofXml ?? ofHtml ?? '');
  if (other === null) {
    throw new DocumentFailure('encoding');
  }
  return other;
}

function markedEncoding(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return 'utf-16le';
  }
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

/** @returns null if it is not in this encoding */
function decode(bytes: Buffer, encoding: string): string | null {
  if (encoding === 'utf-8' && isBinary(bytes.subarray(0, START))) {
    return null;
  }
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Text has no NUL and hardly any other control characters. */
function isBinary(start: Buffer): boolean {
  let controls = 0;
  for (const byte of start) {
    if (byte === 0) {
      return true;
    }
    controls += Number(byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b);
  }
  return controls > 4 + start.length / 50;
}

function wholeText(text: string): DocumentWriter {
  const writer = new DocumentWriter();
  writer.whole(text);
  return writer;
}

function readTable(text: string, delimiter: string): DocumentText {
  const writer = new DocumentWriter();
  const rows = new TableRows(writer);
  parse<string[]>(text, { delimiter, skipEmptyLines: true, step: ({ data }) => rows.add(data) });
  return writer.finish();
}

const FENCE = /^ {0,3}(```+|~~~+)/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;

/** Markdown stays as it is; its headings are noted. */
function readMarkdown(source: string): DocumentText {
  const writer = wholeText(source);
  const { text } = writer.finish();
  let fence = '';
  let start = 0;
  let before = { line: '', start: 0, isAlone: false };
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? text.length : end);
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === '' || mark.startsWith(fence))) {
      fence = fence === '' ? mark : '';
    } else if (fence === '' && line.length <= 1_000) {
      noteHeading(writer, line, start, before);
    }
    before = { line: line.length > 1_000 ? '' : line, start, isAlone: before.line.trim() === '' };
    start += line.length + 1;
  }
  return writer.finish();
}

function noteHeading(
  writer: DocumentWriter,
  line: string,
  start: number,
  before: { line: string; start: number; isAlone: boolean },
): void {
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const title = (heading[2] ?? '').trimEnd().replace(/[ \t]#+$/, '');
    writer.remember(start, heading[1]?.length ?? 1, title);
    return;
  }
  const underline = UNDERLINE.exec(line)?.[1];
  const isTitle = before.isAlone && /^ {0,3}[^\s#>|*+-]/.test(before.line);
  if (underline !== undefined && isTitle) {
    writer.remember(before.start, underline.startsWith('=') ? 1 : 2, before.line.trim());
  }
}
