import {
  docxOf,
  epubOf,
  openDocumentOf,
  pptxOf,
  wordParagraph,
  wordTable,
  xlsxOf,
} from '../../../test/support/documents/office';
import { pdfOf } from '../../../test/support/documents/pdf';
import { DocumentParser } from './document-parser';
import { DocumentParserConfig } from './document-parser.config';
import type { ParsedPassage, ParsedText } from './parser-messages';

const parser = new DocumentParser(new DocumentParserConfig());

interface Read {
  head: ParsedText;
  text: string;
  passages: ParsedPassage[];
}

async function read(content: Buffer | string, filename = 'file'): Promise<Read> {
  const task = { kind: 'parse' as const, filename, rule: { size: 800, overlap: 400 } };
  const result: Partial<Read> & { text: string; passages: ParsedPassage[] } = { text: '', passages: [] };
  for await (const output of parser.run(task, Buffer.from(content as string), new AbortController().signal)) {
    if (output.kind === 'parsed') {
      result.head = output;
    } else if (output.kind === 'piece') {
      expect(output.start).toBe(result.text.length);
      result.text += output.text;
    } else {
      result.passages.push(...output.passages);
    }
  }
  return result as Read;
}

const textOf = async (content: Buffer | string, filename?: string): Promise<string> =>
  (await read(content, filename)).text;

describe('reading a document', () => {
  it('reads the pages of a PDF', async () => {
    const { text, head } = await read(pdfOf([['Hello world', 'second line'], ['Page two (x)']]), 'a.pdf');
    expect(text).toBe('Hello world\nsecond line\n\nPage two (x)');
    expect(head.pages).toEqual([
      { page: 1, start: 0 },
      { page: 2, start: 25 },
    ]);
  });

  it('reads headings, paragraphs and tables of a DOCX', async () => {
    const body = [
      wordParagraph('Report', 'Heading1'),
      wordParagraph('A first paragraph.'),
      wordTable([
        ['Name', 'Age'],
        ['Ada', '36'],
      ]),
    ].join('');
    const { text, head } = await read(docxOf(body));
    expect(text).toBe('Report\n\nA first paragraph.\n\nName | Age\nName: Ada | Age: 36');
    expect(head.headings).toEqual([{ start: 0, level: 1, title: 'Report' }]);
  });

  it('reads the slides of a PPTX with their titles and notes', async () => {
    const slides: [string, string][] = [
      ['Goals', 'Grow'],
      ['Plans', 'Build'],
    ];
    const { text, head, passages } = await read(pptxOf(slides, 'Say hello'));
    expect(text).toBe('Goals\nGrow\nSay hello\n\nPlans\nBuild');
    expect(head.pages.map(({ page }) => page)).toEqual([1, 2]);
    expect(passages[0]).toMatchObject({ heading: 'Goals', page: 1, start: 0, text });
  });

  it('reads the rows of an XLSX with column names, dates and stored values of formulas', async () => {
    const rows =
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Sum</t></is></c></row>' +
      '<row r="2"><c r="A2" s="1"><v>45352</v></c><c r="C2"><f>1+1</f><v>2</v></c></row>';
    expect(await textOf(xlsxOf('Sales', rows, ['Day']))).toBe('Sales\n\nDay | Sum\nDay: 2024-03-01 | Sum: 2');
  });

  it('reads ODT, ODP and ODS', async () => {
    const text =
      '<text:h text:outline-level="2">Title</text:h><text:p>One<text:s text:c="2"/>two<text:tab/>three</text:p>';
    expect(await textOf(openDocumentOf('text', text))).toBe('Title\n\nOne  two\tthree');
    const slide = '<draw:page><text:p>First</text:p></draw:page><draw:page><text:p>Second</text:p></draw:page>';
    expect((await read(openDocumentOf('presentation', slide))).head.pages).toHaveLength(2);
    const cell = (value: string): string => `<table:table-cell><text:p>${value}</text:p></table:table-cell>`;
    const row = (...cells: string[]): string => `<table:table-row>${cells.join('')}</table:table-row>`;
    const empty = '<table:table-cell table:number-columns-repeated="2"/>';
    const table = `<table:table table:name="Sheet">${row(cell('A'), empty, cell('D'))}${row(cell('1'), empty, cell('4'))}</table:table>`;
    expect(await textOf(openDocumentOf('spreadsheet', table))).toBe('Sheet\n\nA | D\nA: 1 | D: 4');
  });

  it('reads the chapters of an EPUB in their order', async () => {
    const { text, head } = await read(epubOf(['<h1>One</h1><p>First.</p>', '<h1>Two</h1><p>Second.</p>']));
    expect(text).toBe('One\n\nFirst.\n\nTwo\n\nSecond.');
    expect(head.headings.map(({ title }) => title)).toEqual(['One', 'Two']);
  });

  it('reads what a reader of an HTML page sees', async () => {
    const page = `<!doctype html><html><head><title>Shop</title><style>p{}</style></head><body><!-- secret -->
      <h1>Prices</h1><p hidden>no</p><p aria-hidden="true">no</p><div style="display: none">no<p>no</p></div>
      <script>no()</script><template>no</template><p>A &amp; B<br>C</p><ul><li>one</li><li>two</li></ul>
      <table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>3</td></tr></table><pre>  code
    more</pre></body></html>`;
    expect(await textOf(page, 'shop')).toBe(
      'Shop\n\nPrices\n\nA & B\nC\n- one\n- two\n\nItem | Price\nItem: Tea | Price: 3\n\ncode\n    more',
    );
  });

  it('reads a page that is arranged by a table as running text', async () => {
    const page = '<html><table><tr><td>Menu</td><td><h1>News</h1><p>Text.</p></td></tr></table></html>';
    expect(await textOf(page)).toBe('Menu\n\nNews\n\nText.');
  });

  it.each([
    ['UTF-8', Buffer.from('\ufeffgrün')],
    ['UTF-16, little-endian', Buffer.from('\ufeffgrün', 'utf16le')],
    ['UTF-16, big-endian', Buffer.from('\ufeffgrün', 'utf16le').swap16()],
  ])('reads text in %s', async (_name, bytes) => expect(await textOf(bytes, 'a.txt')).toBe('grün'));

  it('reads HTML and XML in the charset that they declare', async () => {
    const html = Buffer.from('<html><meta charset="windows-1252"><p>gr\u00fcn</p></html>', 'latin1');
    const xml = Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>gr\u00fcn</a>', 'latin1');
    expect(await textOf(html)).toBe('grün');
    expect(await textOf(xml)).toContain('<a>grün</a>');
  });

  it('keeps Markdown as it is and notes its headings, but not those in code', async () => {
    const source = 'Top\n===\n\nText.\n\n```sh\n# no heading\n```\n\n## Below ##\n\nMore.';
    const { text, head } = await read(source, 'a.md');
    expect(text).toBe(source);
    expect(head.headings).toEqual([
      { start: 0, level: 1, title: 'Top' },
      { start: source.indexOf('## Below'), level: 2, title: 'Below' },
    ]);
  });

  it('reads CSV as rows with column names', async () => {
    expect(await textOf('name;town\n"Ada; L.";London\n', 'a.csv')).toBe('name | town\nname: Ada; L. | town: London');
  });

  it('removes controls and invisible characters, and composes letters', async () => {
    expect(await textOf('a\u0000b'.replace('\u0000', '\u0007') + '\u200bc\u202e e\u0301\r\nx\u0085\tz', 'a.txt')).toBe(
      'abc \u00e9\nx\tz',
    );
  });

  it('ends the process when the reader stops reading', async () => {
    const task = { kind: 'parse' as const, filename: 'a.txt', rule: { size: 100, overlap: 0 } };
    const output = parser.run(task, Buffer.from('text'), new AbortController().signal);
    expect((await output.next()).value).toMatchObject({ kind: 'parsed', length: 4, bytes: 4 });
    await output.return(undefined);
    const stopped = new AbortController();
    const second = parser.run(task, Buffer.from('text'), stopped.signal);
    await second.next();
    stopped.abort(new Error('stopped'));
    await expect(second.next()).rejects.toThrow('stopped');
  });

  it('cuts a stored text again without reading the file', async () => {
    const text = 'One.\n\nTwo ä.';
    const task = {
      kind: 'cut' as const,
      rule: { size: 100, overlap: 0 },
      headings: [{ start: 0, level: 1, title: 'H' }],
      pages: [],
    };
    const kinds: string[] = [];
    const content = (async function* () {
      await Promise.resolve();
      yield Buffer.from(text.slice(0, 5));
      yield Buffer.from(text.slice(5));
    })();
    for await (const output of parser.run(task, content, new AbortController().signal)) {
      kinds.push(output.kind);
      if (output.kind === 'passages') {
        expect(output.passages).toMatchObject([{ text, heading: 'H' }]);
      }
    }
    expect(kinds).toEqual(['parsed', 'passages']);
  });
});
