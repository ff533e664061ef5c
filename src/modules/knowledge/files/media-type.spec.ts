import { mediaTypeOf } from './media-type';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('the media type of a file', () => {
  it.each([
    [Buffer.from('%PDF-1.7\n'), 'a.txt', 'application/pdf'],
    [PNG, 'photo.pdf', 'image/png'],
    [Buffer.from('# Title'), 'a.md', 'text/markdown'],
    [Buffer.from('# Title'), 'a.pdf', 'text/plain'],
    [Buffer.from('a,b'), 'A.CSV', 'text/csv'],
    [Buffer.from('<p>'), 'a.html', 'text/html'],
    [Buffer.from('\ufeffhello', 'utf16le'), 'a', 'text/plain'],
    [
      Buffer.from('PK\x03\x04....[Content_Types].xml....word/document.xml'),
      'a.txt',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    [Buffer.from('PK\x03\x04....mimetypeapplication/epub+zip'), 'a', 'application/epub+zip'],
    [Buffer.from('PK\x03\x04....a.exe'), 'a', 'application/zip'],
    [Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]), 'a.txt', 'application/octet-stream'],
    [Buffer.from([0xff]), 'a.txt', 'application/octet-stream'],
    [Buffer.from('€').subarray(0, 2), 'cut.txt', 'text/plain'],
  ])('is found by its content: %#', (sample, name, type) => expect(mediaTypeOf(sample, name)).toBe(type));
});
