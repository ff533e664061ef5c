import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import wabt from 'wabt';
import { PlainKernel, Scan, WasmKernel } from './vector-scan.worker';
import { toSegmentBytes } from './vectors';

/** Numbers of eight bits, with the extremes. */
function rowsOf(count: number, size: number): Int8Array {
  return Int8Array.from(
    { length: count * size },
    (_value, at) => [127, -127, 0, (at * 37) % 128, -((at * 53) % 128)][at % 5]!,
  );
}

describe('the kernel that compares vectors', () => {
  it('is assembled from its source', async () => {
    const source = readFileSync(join(__dirname, 'products.wat'), 'utf8');
    const { buffer } = (await wabt()).parseWat('products.wat', source, { simd: true }).toBinary({});
    expect(Buffer.from(buffer)).toEqual(WasmKernel.code);
  });

  it.each([16, 48, 512, 4_096])('returns the same products as JavaScript for rows of %d numbers', (size) => {
    const [wasm, plain] = [new WasmKernel(), new PlainKernel()];
    for (const count of [1, 5, 300]) {
      const rows = rowsOf(count, size);
      const query = rowsOf(1, size).reverse();
      wasm.load(rows, size);
      plain.load(rows, size);
      expect([...wasm.products(query)]).toEqual([...plain.products(query)]);
    }
  });
});

describe('a scan of segments', () => {
  it('returns the best vectors of the searched ingestions', () => {
    const count = 1_000;
    const data = toSegmentBytes({
      passageIds: Int32Array.from({ length: count }, (_id, at) => at + 1),
      ingestionIds: Int32Array.from({ length: count }, (_id, at) => 1 + Math.floor(at / 100)),
      scales: new Float32Array(count).fill(0.5),
      rows: Int8Array.from({ length: count * 16 }, (_value, at) => (at % 16 === 0 ? (at / 16) % 100 : 0)),
    });
    const query = { scale: 2, row: new Int8Array(16).fill(1) };
    const scan = new Scan(new WasmKernel(), [query], Int32Array.of(3, 5), 3);
    scan.read({ data: new Uint8Array(data).buffer, count });
    const [result] = scan.results();
    expect([...result!.passageIds]).toEqual([300, 500, 299]);
    expect([...result!.scores]).toEqual([99, 99, 98]);
  });
});
