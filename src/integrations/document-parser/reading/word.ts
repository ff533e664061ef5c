import { DocumentFailure } from '../document-failure';
import { type DocumentText, DocumentWriter } from './document-text';
import { writeHtml } from './html';
import { readXml } from './markup';
import type { ZipArchive } from './zip-archive';

/** DOCX. `mammoth` gets members that are inflated already, and whose nesting has been checked. */
export async function readWord(archive: ZipArchive): Promise<DocumentText> {
  archive.names.filter((name) => /\.(?:xml|rels)$/.test(name)).forEach((name) => readXml(archive.read(name), {}));
  const { convertToHtml, images } = await import('mammoth');
  const file = {
    exists: (name: string) => archive.has(name),
    read: (name: string, encoding?: string) => Promise.resolve(contentOf(archive.read(name), encoding)),
  };
  const options = {
    convertImage: images.imgElement(() => Promise.resolve({ src: '' })),
    styleMap: ["p[style-name='Title'] => h1:fresh"],
  };
  let html: string;
  try {
    // `file` is what mammoth itself makes of a buffer. Its types do not list it.
    html = (await convertToHtml({ file } as unknown as { buffer: Buffer }, options)).value;
  } catch (error) {
    throw error instanceof DocumentFailure ? error : new DocumentFailure('broken', { cause: error });
  }
  const writer = new DocumentWriter();
  writeHtml(html, writer);
  return writer.finish();
}

function contentOf(bytes: Uint8Array, encoding: string | undefined): Uint8Array | string {
  if (encoding === 'base64') {
    return Buffer.from(bytes).toString('base64');
  }
  return encoding === undefined ? bytes : new TextDecoder(encoding).decode(bytes);
}
