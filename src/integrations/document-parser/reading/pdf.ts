import { DocumentFailure } from '../document-failure';
import { type DocumentText, DocumentWriter, MOST_PAGES } from './document-text';

/** A larger distance between two lines, in heights of a line, separates paragraphs. */
const PARAGRAPH_DISTANCE = 1.8;

/** A piece of text with its place, as pdf.js describes it. */
interface TextItem {
  str: string;
  hasEOL: boolean;
  height: number;
  transform: number[];
}

/** PDF: the texts of the pages in the order of the file. */
export async function readPdf(bytes: Buffer): Promise<DocumentText> {
  const writer = new DocumentWriter();
  try {
    const { getDocumentProxy } = await import('unpdf');
    const pdf = await getDocumentProxy(new Uint8Array(bytes), {
      // Only text is read: no images, no fonts of this machine, nothing on the console.
      maxImageSize: 1,
      useSystemFonts: false,
      disableFontFace: true,
      verbosity: 0,
    });
    if (pdf.numPages > MOST_PAGES) {
      throw new DocumentFailure('too_much_text');
    }
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      writer.page();
      writePage(items as unknown as TextItem[], writer);
      page.cleanup();
    }
  } catch (error) {
    throw error instanceof DocumentFailure ? error : faultOf(error as Error);
  }
  return writer.finish();
}

function faultOf(error: Error): DocumentFailure {
  return new DocumentFailure(error.name === 'PasswordException' ? 'encrypted' : 'broken', { cause: error });
}

function writePage(items: readonly TextItem[], writer: DocumentWriter): void {
  let paragraph: string[] = [];
  let line: string[] = [];
  let lastY: number | null = null;
  const endParagraph = (): void => {
    writer.paragraph(paragraph.join('\n'));
    paragraph = [];
  };
  for (const { str, hasEOL, height, transform } of items) {
    const y = transform[5] ?? 0;
    if (line.length === 0 && lastY !== null && Math.abs(lastY - y) > PARAGRAPH_DISTANCE * (height || Infinity)) {
      endParagraph();
    }
    line.push(str);
    if (hasEOL) {
      paragraph.push(line.join('').trim());
      line = [];
    }
    lastY = str.trim() === '' ? lastY : y;
  }
  paragraph.push(line.join('').trim());
  endParagraph();
}
