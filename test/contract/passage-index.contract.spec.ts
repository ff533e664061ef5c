import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import type { SqlServer } from '../support/servers/sql-server';
import { type IndexedFile, IndexService } from './passage-index.harness';

const DIMENSIONS = 48;

const numbers = (function* () {
  for (let id = 1; ; id++) yield id;
})();
const next = (): number => numbers.next().value;

/** Random vectors, the same in each run. */
function vectors(seed: number): () => Float32Array {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x7fff_ffff - 0.5;
  };
  return () => Float32Array.from({ length: DIMENSIONS }, random);
}

function cosine(one: Float32Array, other: Float32Array): number {
  const product = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  return product(one, other) / Math.sqrt(product(one, one) * product(other, other));
}

const TEXTS = [
  'Die Übungen beginnen am Montag.',
  'A crème brûlée needs cream, and the creams need sugar.',
  'The request failed with ERR_4711 in module x.y.z of version 2.',
  '今日は緑茶を飲みます。',
  '我们明天去北京旅行。',
  'ภาษาไทยไม่มีช่องว่าง',
  'مُحَمَّدٌ يَكْتُبُ رِسَالَةً',
  'שָׁלוֹם עֲלֵיכֶם',
  'Release party 🎉 on Friday 🇩🇪',
  'ＦＵＬＬ ｗｉｄｔｈ ﾀﾜｰ',
  'Written in C++ and C#.',
  '서울은 아름다운 도시입니다',
];

/** A query, and the positions of the texts that it finds. */
const QUERIES: [query: string, found: number[]][] = [
  ['ubung', []],
  ['übungen', [0]],
  ['UBUNGEN', [0]],
  ['creme', [1]],
  ['Brulee sugar', [1]],
  ['needing', [1]],
  ['err_4711', [2]],
  ['4711', [2]],
  ['x.y.z', [2]],
  ['y', [2]],
  ['緑茶', [3]],
  ['茶', [3]],
  ['茶緑', []],
  ['北京', [4]],
  ['ไทย', [5]],
  ['محمد', [6]],
  ['رسالة', [6]],
  ['שלום', [7]],
  ['🎉', [8]],
  ['🇩🇪', [8]],
  ['full', [9]],
  ['タワー', [9]],
  ['c++', [10]],
  ['c#', [10]],
  ['서울', [11]],
  ['quetzal', []],
  ['', []],
  ['"; DROP TABLE knowledge_words; --', []],
];

function itKeepsTheContract(service: () => IndexService): void {
  let storeId: number;

  beforeEach(() => (storeId = next()));

  it.each(QUERIES)('finds the passages with a word of %j', async (query, found) => {
    const file = await service().add(storeId, next(), TEXTS);
    const positions = (await service().words([file], query)).map((id) => file.ids.indexOf(id));
    expect(positions.sort((one, other) => one - other)).toEqual(found);
  });

  it('ranks by the words of the passage, its file name and its heading', async () => {
    const plain = await service().add(storeId, next(), ['Reset it here.', 'Nothing', 'How to reset a password twice']);
    const named = await service().add(storeId, next(), ['Another text of five words'], { filename: 'password.md' });
    const headed = await service().add(storeId, next(), ['Another text of five words'], { heading: 'Password › Mail' });
    const found = await service().words([plain, named, headed], 'reset password');
    expect(found[0]).toBe(plain.ids[2]);
    expect(new Set(found)).toEqual(new Set([plain.ids[0], plain.ids[2], ...named.ids, ...headed.ids]));
  });

  it('counts only the searched collections, and only the named ingestions', async () => {
    const file = await service().add(storeId, next(), ['one rare word', 'another text', 'a third one']);
    const alone = await service().scores([file], 'rare');
    const older = await service().add(storeId, next(), ['rare rare', 'rare']);
    await service().add(next(), next(), ['rare', 'rare', 'rare']);
    expect(await service().scores([file], 'rare')).toEqual(alone);
    expect(alone).toHaveLength(1);
    expect(await service().words([older, file], 'rare', [file])).toEqual(file.ids.slice(0, 1));
  });

  it('orders equal scores by the order of the ingestions, then by passage', async () => {
    const first = await service().add(storeId, next(), ['same words', 'same words']);
    const second = await service().add(storeId, next(), ['same words']);
    expect(await service().words([second, first], 'words')).toEqual([...second.ids, ...first.ids]);
    expect(await service().words([first, second], 'words')).toEqual([...first.ids, ...second.ids]);
  });

  it('finds the nearest vectors exactly, in segments of any size', async () => {
    const random = vectors(7);
    const files: IndexedFile[] = [];
    const all: { id: number; vector: Float32Array }[] = [];
    for (let number = 0; number < 20; number++) {
      const file = await service().add(storeId, next(), Array<string>(15).fill('text'));
      await service().addVectors(file, (position) => {
        const vector = random();
        all.push({ id: file.ids[position]!, vector });
        return vector;
      });
      files.push(file);
    }
    const query = random();
    const exact = all
      .map(({ id, vector }) => ({ id, score: cosine(query, vector) }))
      .sort((one, other) => other.score - one.score)
      .slice(0, 10);
    const expectExact = async () => {
      const found = (await service().nearest(files, query, 40)).slice(0, 10);
      expect(found.map(({ passageId }) => passageId)).toEqual(exact.map(({ id }) => id));
      found.forEach(({ score }, at) => expect(score).toBeCloseTo(exact[at]!.score, 5));
    };
    await expectExact();
    await service().settle();
    expect((await service().rows(storeId)).segments).toBeLessThan(20);
    await expectExact();
    // A search of a part of the ingestions finds the nearest of these.
    const [part] = files;
    const nearest = exact.find(({ id }) => !part!.ids.includes(id))!;
    expect((await service().nearest(files.slice(1), query, 1)).map(({ passageId }) => passageId)).toEqual([nearest.id]);
    expect(await service().nearest(files, query, 10, 2)).toEqual([]);
  });

  it('removes an ingestion with its words, vectors and passages, and no other', async () => {
    const removed = await service().add(storeId, next(), ['one word', 'two words']);
    const kept = await service().add(storeId, next(), ['three words']);
    for (const file of [removed, kept]) {
      await service().addVectors(file, vectors(3));
    }
    const before = await service().nearest([kept], vectors(4)());
    await service().remove(removed);
    expect(await service().words([removed, kept], 'words')).toEqual(kept.ids);
    expect(await service().nearest([removed, kept], vectors(4)())).toEqual(before);
    expect(await service().rows(storeId)).toMatchObject({ passages: 1, vectors: 1, segments: 1 });
    await service().remove(kept);
    expect(Object.values(await service().rows(storeId))).toEqual([0, 0, 0, 0, 0]);
  });

  it('writes a segment again when half of it is removed', async () => {
    const random = vectors(11);
    const files: IndexedFile[] = [];
    for (let number = 0; number < 16; number++) {
      const file = await service().add(storeId, next(), ['text']);
      await service().addVectors(file, random);
      files.push(file);
    }
    await service().settle();
    const bytes = async () =>
      (
        await service().database.manager.query<{ passages: number; bytes: number }[]>(
          'SELECT passages, LENGTH(data) AS bytes FROM knowledge_segments WHERE store_id = ?',
          [storeId],
        )
      ).map((row) => [Number(row.passages), Number(row.bytes)]);
    expect(await bytes()).toEqual([[16, 16 * (12 + DIMENSIONS)]]);
    const query = random();
    for (const file of files.slice(0, 7)) await service().remove(file);
    expect(await bytes()).toEqual([[16, 16 * (12 + DIMENSIONS)]]);
    const before = await service().nearest(files.slice(8), query);
    await service().remove(files[7]!);
    expect(await bytes()).toEqual([[8, 8 * (12 + DIMENSIONS)]]);
    expect(await service().nearest(files, query)).toEqual(before);
  });

  it('removes the vectors of one model', async () => {
    const file = await service().add(storeId, next(), ['one', 'two']);
    const [first, second] = [next() + 1_000, next() + 1_000];
    await service().addVectors(file, vectors(1), first);
    await service().addVectors(file, vectors(2), second);
    const before = await service().nearest([file], vectors(3)(), 10, second);
    await service().index.removeGeneration(first);
    expect(await service().nearest([file], vectors(3)(), 10, first)).toEqual([]);
    expect(await service().nearest([file], vectors(3)(), 10, second)).toEqual(before);
    expect(before).toHaveLength(2);
  });

  it('shows nothing of a transaction that fails', async () => {
    const file = await service().add(storeId, next(), ['one word']);
    await service().addVectors(file, vectors(3));
    await expect(service().addVectors(file, vectors(3))).rejects.toThrow();
    expect(await service().rows(storeId)).toMatchObject({ vectors: 1, segments: 1 });
  });
}

describe('the index of passages on SQLite', () => {
  let service: IndexService;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'passages-'));
    service = await IndexService.start(`sqlite:${join(folder, 'passages.sqlite')}`);
  });

  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  itKeepsTheContract(() => service);
});

describeWithProgram('mariadbd', 'the index of passages on MariaDB', () => {
  let server: SqlServer;
  let service: IndexService;
  let other: IndexService;

  beforeAll(async () => {
    server = await startMariadbServer();
    const url = `${server.url}?wait=99`;
    service = await IndexService.start(url);
    other = await IndexService.start(url, 1);
  });

  afterAll(async () => {
    await service.close();
    await other.close();
    await server.stop();
  });

  itKeepsTheContract(() => service);

  it('loses and repeats no vector while two instances add and merge', async () => {
    const storeId = next();
    const random = vectors(5);
    const ingestions = Array.from({ length: 40 }, next);
    const files = await Promise.all(
      ingestions.map(async (ingestionId, index) => {
        const instance = index % 2 === 0 ? service : other;
        const file = await instance.add(storeId, ingestionId, ['a text', 'another text']);
        await instance.addVectors(file, random);
        return file;
      }),
    );
    await Promise.all([service.settle(), other.settle()]);
    for (const instance of [service, other]) {
      const found = await instance.nearest(files, random(), 200);
      const ids = found.map(({ passageId }) => passageId).sort((one, two) => one - two);
      expect(ids).toEqual(files.flatMap((file) => file.ids).sort((one, two) => one - two));
      expect((await instance.words(files, 'text')).length).toBe(80);
    }
    expect((await service.rows(storeId)).segments).toBeLessThan(16);
  });
});
