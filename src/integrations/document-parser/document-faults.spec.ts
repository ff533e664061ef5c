import { gzipSync } from 'node:zlib';
import { BOMBS, docxWith, mainOf, nested, noise } from '../../../test/support/documents/bombs';
import { docxOf, epubOf, openDocumentOf, pptxOf, wordParagraph } from '../../../test/support/documents/office';
import { pdfOf, pdfWith } from '../../../test/support/documents/pdf';
import { type ZipMember, zipOf } from '../../../test/support/documents/zip';
import { DocumentFailure } from './document-failure';
import { DocumentParser } from './document-parser';
import { readDocument } from './reading/read-document';

const parser = new DocumentParser({ KNOWLEDGE_PARSE_SECONDS: 20, KNOWLEDGE_PARSE_MEMORY_MB: 256 });

/** `ok`, or why the file has no passages. */
async function faultOf(content: Buffer | string, filename = 'file', by = parser): Promise<string> {
  const task = { kind: 'parse' as const, filename, rule: { size: 800, overlap: 400 } };
  try {
    for await (const output of by.run(task, Buffer.from(content as string), new AbortController().signal)) {
      void output;
    }
    return 'ok';
  } catch (error) {
    return error instanceof DocumentFailure ? error.fault : String(error);
  }
}

const docx = docxOf(wordParagraph('Some text.'));
const pdf = pdfOf([['Some text']]);
const cut = (file: Buffer, share: number): Buffer => file.subarray(0, Math.floor(file.length * share));
const replaced = (file: Buffer, from: string, to: string): Buffer =>
  Buffer.from(file.toString('latin1').replace(from, to), 'latin1');

const SHEETLESS: ZipMember[] = [
  { name: '[Content_Types].xml', data: '<Types><Override ContentType="spreadsheetml"/></Types>' },
  { name: 'xl/workbook.xml', data: '<workbook><sheet r:id="a"/></workbook>' },
  { name: 'xl/_rels/workbook.xml.rels', data: '<a><Relationship Id="a" Type="x/worksheet" Target="sheet.xml"/></a>' },
];

const BROKEN: [name: string, content: Buffer | string, fault: string, filename?: string][] = [
  ['random bytes', noise, 'type_not_supported'],
  ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'type_not_supported'],
  ['a JPEG', Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), 'type_not_supported'],
  ['a GZIP archive', gzipSync('text'), 'type_not_supported', 'a.txt'],
  ['a ZIP of other files', zipOf([{ name: 'a.txt', data: 'text' }]), 'type_not_supported'],
  ['a program', Buffer.from('7f454c4602010100000000000000000003003e00', 'hex'), 'type_not_supported'],
  ['an old Office file', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), noise]), 'type_not_supported'],
  ['RTF', '{\\rtf1 text}', 'type_not_supported', 'a.rtf'],
  ['PostScript', '%!PS-Adobe-3.0\nshowpage', 'type_not_supported'],
  ['text with a NUL', 'text\u0000text', 'type_not_supported', 'a.txt'],
  [
    'an Office file of an unknown kind',
    zipOf([{ name: '[Content_Types].xml', data: '<Types/>' }]),
    'type_not_supported',
  ],
  [
    'an unknown kind of OpenDocument',
    zipOf([
      { name: 'mimetype', data: 'application/x' },
      { name: 'content.xml', data: '<a/>' },
    ]),
    'type_not_supported',
  ],
  ['Latin-1', Buffer.from('gr\u00fcn und \u00f6de', 'latin1'), 'encoding', 'a.txt'],
  ['UTF-8 that ends within a character', Buffer.from('grün').subarray(0, 3), 'encoding', 'a.txt'],
  ['UTF-16 with half a character', Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x42]), 'encoding', 'a.txt'],
  ['HTML in an unknown charset', Buffer.from('<html><meta charset="x-none">\u00fc</html>', 'latin1'), 'encoding'],
  ['white space', ' \n\t \n', 'no_text', 'a.txt'],
  ['invisible characters', '\u200b\u2060\ufeff', 'no_text', 'a.txt'],
  ['a scanned PDF', pdfOf([[]]), 'no_text'],
  ['an empty DOCX', docxOf(''), 'no_text'],
  ['a presentation without text', pptxOf([['', '']]), 'no_text'],
  ['HTML of hidden text', '<html><body hidden>text</body></html>', 'no_text'],
  [
    'a DOCX with a password',
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
    'encrypted',
  ],
  ['a ZIP member with a password', docxWith({ name: 'word/x.xml', data: 'x', flags: 1 }), 'encrypted'],
  [
    'an ODT with a password',
    openDocumentOf('text', 'x', [{ name: 'META-INF/manifest.xml', data: '<a><encryption-data/></a>' }]),
    'encrypted',
  ],
  [
    'an EPUB with copy protection',
    epubOf(['<p>x</p>'], [{ name: 'META-INF/encryption.xml', data: '<a><CipherReference URI="book/c0.xhtml"/></a>' }]),
    'encrypted',
  ],
  [
    'a PDF with a password',
    pdfWith(
      [
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Kids [] /Count 0 >>',
        `<< /Filter /Standard /V 1 /R 2 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> /P -4 >>`,
      ],
      '/Encrypt 3 0 R /ID [<41> <41>]',
    ),
    'encrypted',
  ],
  ['the first half of a DOCX', cut(docx, 0.5), 'broken'],
  ['a DOCX without its last byte', docx.subarray(0, -1), 'broken'],
  ['a header of a ZIP', Buffer.from('PK\u0003\u0004', 'latin1'), 'broken'],
  ['a DOCX without a document', zipOf([{ name: '[Content_Types].xml', data: 'wordprocessingml' }]), 'broken'],
  [
    'a DOCX whose member is damaged',
    docxWith({ name: 'word/x.xml', data: 'x'.repeat(99), compressed: noise }),
    'broken',
  ],
  ['a DOCX with an unknown compression', docxWith({ name: 'word/x.xml', data: 'x', method: 99 }), 'broken'],
  ['a DOCX in a wrong encoding', docxWith({ name: 'word/x.xml', data: Buffer.from([0xff, 0x41]) }), 'broken'],
  ['a DOCX that is no XML', mainOf('no XML'), 'broken'],
  ['an XLSX without its sheet', zipOf(SHEETLESS), 'broken'],
  [
    'an EPUB without its book',
    zipOf([
      { name: 'mimetype', data: 'application/epub+zip', isStored: true },
      { name: 'META-INF/container.xml', data: '<a/>' },
    ]),
    'broken',
  ],
  ['a header of a PDF', '%PDF-1.7\n', 'broken'],
  ['a PDF without objects', `%PDF-1.7\n${'x'.repeat(2_000)}`, 'broken'],
  [
    'a PDF whose pages are their own parent',
    pdfWith(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 1 >>']),
    'broken',
  ],
  ['a PDF whose page is missing', replaced(pdf, '/Kids [5 0 R]', '/Kids [9 0 R]'), 'broken'],
];

describe('a file that cannot be read', () => {
  it.each(BROKEN)('%s is reported', async (...[, content, fault, filename]) => {
    const reading = readDocument(Buffer.from(content as string), filename ?? 'file');
    await expect(reading).rejects.toMatchObject({ fault });
  });

  it('is reported by the process that reads it', async () => {
    expect(await faultOf(noise)).toBe('type_not_supported');
  });
});

describe('a file that attacks its reader', () => {
  it.each(BOMBS)('%s does no harm', async (...[, content, fault, filename]) => {
    expect(await faultOf(content(), filename)).toBe(fault);
  });

  it('is ended after its time', async () => {
    const hurried = new DocumentParser({ KNOWLEDGE_PARSE_SECONDS: 1, KNOWLEDGE_PARSE_MEMORY_MB: 512 });
    expect(await faultOf('word '.repeat(3_000_000), 'a.csv', hurried)).toBe('timeout');
  });

  it('takes no processor time of this process', async () => {
    const before = process.cpuUsage();
    await Promise.all([faultOf(mainOf(nested('w:p', 100_000))), faultOf('word '.repeat(200_000), 'a.txt')]);
    const { user } = process.cpuUsage(before);
    expect(user / 1_000).toBeLessThan(500);
  });
});
