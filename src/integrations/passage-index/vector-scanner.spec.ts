import { VectorScanner } from './vector-scanner';
import { toSegmentBytes } from './vectors';

const SIZE = 16;

/** A segment of one ingestion, in which vector number `n` has the score `n`. */
function segment(firstId: number, count: number) {
  const data = toSegmentBytes({
    passageIds: Int32Array.from({ length: count }, (_id, at) => firstId + at),
    ingestionIds: new Int32Array(count).fill(1),
    scales: Float32Array.from({ length: count }, (_scale, at) => firstId + at),
    rows: Int8Array.from({ length: count * SIZE }, (_value, at) => (at % SIZE === 0 ? 1 : 0)),
  });
  return { segmentId: firstId, count, data };
}

const SEGMENTS = new Map([segment(1, 10), segment(11, 10), segment(21, 5)].map((one) => [one.segmentId, one]));
const QUERY = { scale: 1, row: Int8Array.from({ length: SIZE }, (_value, at) => (at === 0 ? 1 : 0)) };

describe('the thread that compares vectors', () => {
  let scanner: VectorScanner;
  const load = jest.fn((id: number) => Promise.resolve(SEGMENTS.get(id) ?? null));
  let list = () => Promise.resolve([...SEGMENTS.keys()]);

  const best = async (most = 3) => {
    const request = { queries: [QUERY], ingestionIds: Int32Array.of(1), most };
    return (await scanner.scan(request, list, load)).map(({ passageIds }) => [...passageIds]);
  };

  beforeEach(() => load.mockClear());
  afterEach(() => scanner.close());

  it('keeps segments in memory', async () => {
    scanner = new VectorScanner(1_000_000);
    expect(await best()).toEqual([[25, 24, 23]]);
    expect(load).toHaveBeenCalledTimes(3);
    expect(scanner.memoryBytes).toBe(25 * (12 + SIZE));
    expect(await best()).toEqual([[25, 24, 23]]);
    expect(load).toHaveBeenCalledTimes(3);
  });

  it.each([1, 300])('finds the same with room for %d bytes, and reads the segments again', async (bytes) => {
    scanner = new VectorScanner(bytes);
    expect(await best()).toEqual([[25, 24, 23]]);
    expect(await best()).toEqual([[25, 24, 23]]);
    expect(load.mock.calls.length).toBeGreaterThan(3);
    expect(scanner.memoryBytes).toBeLessThanOrEqual(bytes);
  });

  it('serves several scans at the same time', async () => {
    scanner = new VectorScanner(300);
    const found = await Promise.all([best(1), best(2), best(30)]);
    expect(found.map(([ids]) => ids!.length)).toEqual([1, 2, 25]);
  });

  it('fails a scan whose segment cannot be read, and the next one succeeds', async () => {
    scanner = new VectorScanner(1_000_000);
    load.mockRejectedValueOnce(new Error('gone'));
    await expect(best()).rejects.toThrow('gone');
    expect(await best()).toEqual([[25, 24, 23]]);
  });

  it('fails a scan whose thread ends, and starts another one', async () => {
    scanner = new VectorScanner(1_000_000);
    load.mockImplementationOnce(async (id) => {
      await scanner.close();
      return SEGMENTS.get(id) ?? null;
    });
    await expect(best()).rejects.toThrow('ended');
    expect(await best()).toEqual([[25, 24, 23]]);
  });

  it('continues with the new segments if some were merged meanwhile, and counts each vector once', async () => {
    scanner = new VectorScanner(1_000_000);
    const merged = { ...segment(1, 20), segmentId: 31 };
    const lists = [[1, 11], [31]];
    list = () => Promise.resolve(lists.shift()!);
    load.mockImplementation((id) => Promise.resolve(id === 11 ? null : id === 31 ? merged : SEGMENTS.get(id)!));
    const [ids] = await best(30);
    expect(ids!.sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_id, at) => at + 1));
  });
});
