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

/** An object stream with any content. */
function stream(numbers: string, content: string | Buffer): Buffer {
  const data = deflateSync(content);
  const head = `7 0 obj\n<</Type/ObjStm${numbers}/Filter/FlateDecode/Length ${data.length}>>\nstream\n`;
  return Buffer.concat([Buffer.from(head), data, Buffer.from('\nendstream\nendobj\n')]);
}

const MIB = 1_048_576;

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
  ])('are counted: %s', async (_what, file, expected) => {
    expect(await countPdfPages(file)).toBe(expected);
  });

  it('are unreadable if packed objects overlap', async () => {
    const data = '10 0 11 40 12 0 <</Type/Page/Parent 2 0 R>> <</Type/Page/Parent 2 0 R>>';
    const head = `7 0 obj\n<</Type/ObjStm/N 3/First 16/Length ${data.length}>>\nstream\n`;
    expect(await countPdfPages(pdf(PAGE(10), head, data, '\nendstream\n'))).toBeNull();
  });

  it.each([
    ['one stream', pdf(PAGE(10), stream('/N 1/First 4', Buffer.alloc(5 * MIB)))],
    ['all streams', pdf(PAGE(10), ...Array<Buffer>(9).fill(stream('/N 1/First 4', Buffer.alloc(4 * MIB, '10 0 '))))],
    ['the head of a stream', pdf(PAGE(10), stream('/N 1/First 1000', `10 0${' '.repeat(996)}`))],
    ['the objects of a stream', pdf(PAGE(10), stream(`/N ${4 * MIB}/First ${4 * MIB}`, Buffer.alloc(4 * MIB, '1 ')))],
    ['the number of streams', pdf(PAGE(10), '/ObjStm/N 0/First 0 stream\nendstream '.repeat(5_001))],
    ['the number of pages', pdf(PAGE(10), Buffer.alloc(MIB, '/Type/Page '))],
  ])(
    'are unreadable if it exceeds what any real file contains, so that the work is bounded: %s',
    async (_what, file) => {
      expect(await countPdfPages(file)).toBeNull();
    },
  );
});
