import { DocumentFailure } from '../document-failure';
import type { DocumentText } from './document-text';
import { readEpub } from './epub';
import { readOpenDocument } from './open-document';
import { readPdf } from './pdf';
import { readPlainText } from './plain-text';
import { readPresentation } from './presentation';
import { readSpreadsheet } from './spreadsheet';
import { readWord } from './word';
import { namesOfZip, ZipArchive } from './zip-archive';

/** Programs accept a header within the first bytes. */
const PDF_HEADER_WITHIN = 1_024;

/** Members that are not text. */
const IS_MEDIA =
  /\.(?:png|jpe?g|gif|bmp|tiff?|webp|avif|svgz?|emf|wmf|mp[34]|m4[av]|wav|ogg|webm|avi|mov|ttf|otf|woff2?|bin|fntdata)$/i;

const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** The stream of a compound file that has an Office file with a password. */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

/**
 * Reads a file. Its bytes decide about its format; its name only helps to choose between kinds of text.
 *
 * @throws DocumentFailure
 */
export async function readDocument(bytes: Buffer, filename: string): Promise<DocumentText> {
  if (bytes.subarray(0, PDF_HEADER_WITHIN).includes('%PDF-')) {
    return readPdf(bytes);
  }
  if (bytes.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004', 'latin1'))) {
    return readArchive(bytes);
  }
  if (bytes.subarray(0, COMPOUND_FILE.length).equals(COMPOUND_FILE)) {
    throw new DocumentFailure(bytes.includes(ENCRYPTED_PACKAGE) ? 'encrypted' : 'type_not_supported');
  }
  return readPlainText(bytes, filename);
}

async function readArchive(bytes: Buffer): Promise<DocumentText> {
  const names = new Set(await namesOfZip(bytes));
  const isOffice = names.has('[Content_Types].xml');
  const isOther = names.has('mimetype') && (names.has('content.xml') || names.has('META-INF/container.xml'));
  if (!isOffice && !isOther) {
    throw new DocumentFailure('type_not_supported');
  }
  const archive = await ZipArchive.open(bytes, (name) => !IS_MEDIA.test(name));
  return isOffice ? readOffice(archive) : readPackage(archive);
}

function readOffice(archive: ZipArchive): Promise<DocumentText> | DocumentText {
  const types = textOf(archive, '[Content_Types].xml');
  if (types.includes('presentationml') && archive.has('ppt/presentation.xml')) {
    return readPresentation(archive);
  }
  if (types.includes('spreadsheetml') && archive.has('xl/workbook.xml')) {
    return readSpreadsheet(archive);
  }
  if (types.includes('wordprocessingml')) {
    return readWord(archive);
  }
  throw new DocumentFailure('type_not_supported');
}

function readPackage(archive: ZipArchive): DocumentText {
  const type = textOf(archive, 'mimetype').trim();
  if (type === 'application/epub+zip') {
    return readEpub(archive);
  }
  if (!/^application\/vnd\.oasis\.opendocument\.(?:text|presentation|spreadsheet)(?:-template)?$/.test(type)) {
    throw new DocumentFailure('type_not_supported');
  }
  if (archive.has('META-INF/manifest.xml') && textOf(archive, 'META-INF/manifest.xml').includes('encryption-data')) {
    throw new DocumentFailure('encrypted');
  }
  return readOpenDocument(archive);
}

function textOf(archive: ZipArchive, name: string): string {
  return new TextDecoder().decode(archive.read(name));
}
