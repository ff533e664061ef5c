import { deflateRawSync } from 'node:zlib';
import { docxOf, openDocumentOf, wordParagraph } from './office';
import { pdfWith } from './pdf';
import { type ZipMember, zipOf } from './zip';

const MEBIBYTE = 1_048_576;
const zeros = (mebibytes: number): Buffer => Buffer.alloc(mebibytes * MEBIBYTE);

/** Bytes without a meaning, which compress badly. */
export const noise = Buffer.from(Array.from({ length: 4_096 }, (_byte, index) => (index * 7_919 + (index >> 3)) % 256));

export const nested = (element: string, depth: number): string =>
  `<${element}>`.repeat(depth) + 'deep' + `</${element}>`.repeat(depth);

/** A DOCX with this main document. */
export const mainOf = (data: string): Buffer =>
  zipOf([
    {
      name: '[Content_Types].xml',
      data: '<Types><Override ContentType="x.wordprocessingml.document.main+xml"/></Types>',
    },
    { name: 'word/document.xml', data },
  ]);

/** A DOCX with a member that is wrong. */
export const docxWith = (member: ZipMember): Buffer => docxOf(wordParagraph('text'), [member]);

/** Files that attack their reader: what they are, and why they have no passages; `ok`: they have some. */
export const BOMBS: [name: string, content: () => Buffer | string, fault: string, filename?: string][] = [
  ['a ZIP bomb', () => docxWith({ name: 'word/x.xml', data: zeros(32) }), 'unsafe'],
  ['a member of 65 MiB', () => docxWith({ name: 'word/x.xml', data: Buffer.alloc(65 * MEBIBYTE, noise) }), 'unsafe'],
  [
    'members of 260 MiB in all',
    () =>
      zipOf([
        { name: '[Content_Types].xml', data: '' },
        ...Array.from({ length: 5 }, (_member, index) => ({
          name: `${index}.xml`,
          data: '',
          declaredSize: 52 * MEBIBYTE,
          compressed: zeros(1),
        })),
      ]),
    'unsafe',
  ],
  [
    'a member that is larger than it declares',
    () => docxWith({ name: 'word/x.xml', data: '', declaredSize: 10, compressed: deflateRawSync(zeros(48)) }),
    'unsafe',
  ],
  [
    'too many members',
    () =>
      docxOf(
        '',
        Array.from({ length: 10_000 }, (_member, index) => ({ name: `m${index}`, data: '' })),
      ),
    'unsafe',
  ],
  ['XML that is nested deeply', () => mainOf(nested('w:p', 100_000)), 'unsafe'],
  ['HTML that is nested deeply', () => `<html>${nested('div', 200_000)}`, 'unsafe'],
  [
    'entities that multiply',
    () =>
      mainOf(
        `<!DOCTYPE a [<!ENTITY a "${'x'.repeat(99)}">${Array.from({ length: 20 }, (_entity, index) => `<!ENTITY b${index} "${`&b${index - 1};`.repeat(10)}">`).join('')}]><a>&b19;</a>`,
      ),
    'broken',
  ],
  [
    'a page tree with a billion pages',
    () =>
      pdfWith(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R 2 0 R] /Count 1000000000 >>']),
    'broken',
  ],
  [
    'a PDF of 6,000 pages',
    () =>
      pdfWith([
        '<< /Type /Catalog /Pages 2 0 R >>',
        `<< /Type /Pages /Kids [${'3 0 R '.repeat(6_000)}] /Count 6000 >>`,
        '<< /Type /Page /Parent 2 0 R >>',
      ]),
    'too_much_text',
  ],
  [
    'a DOCX of repeated paragraphs',
    () =>
      docxOf(
        Array.from({ length: 180_000 }, (_paragraph, index) =>
          wordParagraph(`${'a paragraph that repeats '.repeat(8)}${index.toString(36)}`),
        ).join(''),
      ),
    'memory',
  ],
  ['text of 21,000,000 characters', () => 'many words '.repeat(1_910_000), 'too_much_text', 'a.txt'],
  ['text of a million lines', () => 'word\n'.repeat(1_000_000), 'ok', 'a.txt'],
  [
    'a spreadsheet that repeats cells',
    () =>
      openDocumentOf(
        'spreadsheet',
        `<table:table>${'<table:table-row><table:table-cell table:number-columns-repeated="1000000"><text:p>long value of a cell</text:p></table:table-cell></table:table-row>'.repeat(2_000)}</table:table>`,
      ),
    'too_much_text',
  ],
  [
    'runs that are slow for backtracking',
    () => `<html>text${'<b> </b>'.repeat(300_000)}${'<!--'.repeat(20_000)}${'<meta'.repeat(20_000)}`,
    'ok',
  ],
  ['comments that are no HTML', () => `${'<!-- a -->'.repeat(6_000)}text`, 'ok'],
  ['marks without a letter', () => `a${'\u0301'.repeat(2_000_000)}`, 'ok', 'a.txt'],
];
