import { deflateSync } from 'node:zlib';
import { countPdfPages } from './pdf-pages';

const PAGE = (number: number): string => `${number} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n`;
const TREE = '2 0 obj\n<</Type/Pages/Kids[10 0 R]/Count 1>>\nendobj\n';

function pdf(...parts: (string | Buffer)[]): Buffer {
  return Buffer.concat(['%PDF-1.7\n', ...parts, 'trailer\n<</Root 1 0 R>>\n%%EOF'].map((part) => Buffer.from(part)));
}

/** Pages as in newer files, which pack them into one compressed object. */
function packed(numbers: readonly number[]): Buffer {
  const object = '<</Type/Page/Parent 2 0 R>> ';
  const heads = `${numbers.map((number, index) => `${number} ${index * object.length}`).join(' ')} `;
  const data = deflateSync(heads + object.repeat(numbers.length));
  const dictionary = `<</Type/ObjStm/N ${numbers.length}/First ${heads.length}/Filter/FlateDecode/Length ${data.length}>>`;
  return Buffer.concat([Buffer.from(`7 0 obj\n${dictionary}\nstream\r\n`), data, Buffer.from('\nendstream\nendobj\n')]);
}

describe('the pages of a PDF', () => {
  it.each<[string, Buffer, number | null]>([
    ['plain', pdf(TREE, PAGE(10), PAGE(11), PAGE(12)), 3],
    ['packed', pdf(TREE, packed(Array.from({ length: 40 }, (_page, index) => 10 + index))), 40],
    ['both', pdf(TREE, PAGE(10), packed([11, 12])), 3],
    ['of a changed page, which is there twice', pdf(TREE, PAGE(10), PAGE(11), PAGE(10), packed([11])), 2],
    ['of a tree that states too few', pdf(TREE, PAGE(10), PAGE(11)), 2],
    ['none', pdf(TREE), null],
    ['packed in a damaged way', pdf(PAGE(10), packed([11]).fill(0, 90, 110)), null],
    ['packed without an end', pdf(PAGE(10), packed([11]).subarray(0, 110)), null],
  ])('are counted: %s', (_what, file, expected) => {
    expect(countPdfPages(file)).toBe(expected);
  });

  it('are unreadable if packed objects overlap', () => {
    const data = '10 0 11 40 12 0 <</Type/Page/Parent 2 0 R>> <</Type/Page/Parent 2 0 R>>';
    const head = `7 0 obj\n<</Type/ObjStm/N 3/First 16/Length ${data.length}>>\nstream\n`;
    expect(countPdfPages(pdf(PAGE(10), head, data, '\nendstream\n'))).toBeNull();
  });

  it('are unreadable if they unpack to more than any real file contains', () => {
    const bomb = deflateSync(Buffer.alloc(33 * 1_048_576));
    const head = '7 0 obj\n<</Type/ObjStm/N 1/First 4/Filter/FlateDecode>>\nstream\n';
    expect(countPdfPages(pdf(PAGE(10), head, bomb, '\nendstream\n'))).toBeNull();
  });
});
