import 'reflect-metadata';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { PassageIndex } from '../../src/integrations/passage-index/passage-index';
import type { SearchOutcome } from '../../src/modules/knowledge/search/knowledge-search';
import { type EmbedQueries, QueryEmbedder } from '../../src/modules/knowledge/search/query-embedder';
import { KnowledgePassageEntity } from '../../src/modules/knowledge/tables/knowledge-passage.entity';
import { addIndexedFile } from '../../test/support/indexed-files';
import { startMariadbServer } from '../../test/support/servers/mariadb-server';
import { createSqlDatabase } from '../../test/support/servers/sql-server';
import { startInstance } from '../../test/support/test-app';
import { measureQuality } from './quality';
import { type Instance, newSearcher, newStore, search, type Searcher } from './searcher';
import { numbersFrom, textsFrom, WORDS } from './texts.js';

/*
 * What searching collections costs, and how good keyword search is. CPU times are those of the process with all its
 * threads, and of the database server, medians of the rounds; each is compared with something in the same run.
 */

const PASSAGES = 100_000;
const PASSAGES_OF_FILE = 100;
const OTHER_COLLECTIONS = 10_000;
const SMALL_COLLECTION = 1_000;
const DIMENSIONS = 512;
const ROUNDS = 15;

/** The indexes fit into it, as on a server of a suitable size. */
const BUFFER_POOL = 2 ** 30;

/** The database server, if there is one. */
let server: { processId: number } | null = null;

async function main(): Promise<void> {
  const engines = process.argv.slice(2);
  for (const engine of engines.length === 0 ? ['SQLite', 'MariaDB'] : engines) {
    console.log(` ${engine}`);
    await measure(engine);
  }
}

async function measure(engine: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-bench-'));
  const mariadb = engine === 'MariaDB' ? await startMariadbServer({ durable: true, bufferPool: BUFFER_POOL }) : null;
  const environmentOf = async (name: string): Promise<Record<string, string>> => ({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    KNOWLEDGE_INGESTIONS: '0',
    DATABASE_URL: mariadb
      ? (await createSqlDatabase(mariadb.serverUrl)).url
      : `sqlite:${join(folder, `${name}.sqlite`)}`,
    JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
  });
  try {
    const environment = await environmentOf('bench');
    let instance = await startInstance(environment);
    server = mariadb && { processId: await processIdOf(instance) };
    await reportQuality(instance);
    const large = await newSearcher(instance);
    const texts = Array.from({ length: PASSAGES }, textsFrom(1));
    await measureIngestion(instance, large, texts);
    const like = await measureWords(instance, large, texts, folder);
    await addVectors(instance, large);
    useVectors(instance);
    const warm = await measureHybrid(instance, large, like);
    await instance.app.close();
    instance = await startInstance(environment);
    useVectors(instance);
    const first = await cpuOf(() => searchBoth(instance, large));
    addRow('first hybrid search after a start ÷ warm p95', first, warm, '5');
    await measureOthers(instance, await environmentOf('alone'));
    await instance.app.close();
  } finally {
    server = null;
    await mariadb?.stop();
    await rm(folder, { recursive: true });
  }
}

async function processIdOf({ app }: Instance): Promise<number> {
  const [row] = (await app.get(Database).manager.query('SELECT @@pid_file AS file')) as [{ file: string }];
  return Number(readFileSync(row.file, 'utf8'));
}

async function reportQuality(instance: Instance): Promise<void> {
  const { rows, missed } = await measureQuality(instance);
  rows.forEach(({ figure, ours, theirs, goal }) => addRow(`${figure}, against FTS5 porter`, ours, theirs, goal, ''));
  missed.forEach((query) => console.log(`  not among ten passages: ${query}`));
}

async function measureIngestion(instance: Instance, searcher: Searcher, texts: string[]): Promise<void> {
  let next = 0;
  const spent = await cpuOf(() => fill(instance, searcher, texts.length, () => texts[next++]!));
  const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6;
  addRow('words, texts and passages added, MB of text per CPU second', megabytes / (spent / 1_000), 0.5, '1', '');
}

/** @returns milliseconds of the comparison */
async function measureWords(instance: Instance, searcher: Searcher, texts: string[], folder: string): Promise<number> {
  const reference = new Libsql(join(folder, 'reference.sqlite'));
  reference.exec('CREATE TABLE passages (id INTEGER PRIMARY KEY, text TEXT); BEGIN');
  const insert = reference.prepare('INSERT INTO passages (text) VALUES (?)');
  texts.forEach((text) => insert.run([text]));
  reference.exec('COMMIT');
  const select = reference.prepare('SELECT id FROM passages WHERE text LIKE ?').raw();
  let like = 0;
  for (const [name, goal] of [
    ['rare', '0.25'],
    ['common', '2'],
  ] as const) {
    const { word, every } = WORDS[name];
    like = await costOf(() => Promise.resolve(select.all([`%${word}%`])));
    const spent = await costOf(() => searchWords(instance, searcher, word));
    addRow(`keyword search, a word of every ${every}th of ${PASSAGES} passages ÷ LIKE`, spent, like, goal);
    const times = await timesOf(() => searchWords(instance, searcher, word));
    addRow('the same, p95 in milliseconds of time', percentile95(times), 50, '1', '');
  }
  reference.close();
  return like;
}

/** @returns the 95th percentile of a warm search, in milliseconds of CPU */
async function measureHybrid(instance: Instance, searcher: Searcher, like: number): Promise<number> {
  const words = await costOf(() => searchWords(instance, searcher, WORDS.common.word));
  const samples: number[] = [];
  for (let round = 0; round < 2 * ROUNDS; round++) {
    samples.push(await cpuOf(() => searchBoth(instance, searcher)));
  }
  const warm = samples.slice(2).sort((one, other) => one - other);
  // Apart from the CPU, whose measurement takes some milliseconds.
  const times = await timesOf(() => searchBoth(instance, searcher));
  const median = warm[Math.floor(warm.length / 2)]!;
  addRow(`what ${DIMENSIONS} dimensions add to it ÷ LIKE`, median - words, like, '0.5');
  addRow('hybrid search, p95 in milliseconds of time', percentile95(times), 50, '1', '');
  addRow('the same, median', medianOf(times), 50, '1', '');
  return percentile95(warm);
}

/** The two searches take turns, because the machine may become slower or faster. */
async function measureOthers(instance: Instance, environment: Record<string, string>): Promise<void> {
  const alone = await startInstance(environment);
  const searchers = new Map<Instance, Searcher>();
  for (const each of [alone, instance]) {
    const searcher = await newSearcher(each);
    await fill(each, searcher, SMALL_COLLECTION, textsFrom(2));
    searchers.set(each, searcher);
  }
  const text = textsFrom(3);
  let other = await newSearcher(instance);
  for (let collection = 0; collection < OTHER_COLLECTIONS; collection++) {
    other = collection % 100 === 0 ? await newSearcher(instance) : other;
    const storeId = await newStore(instance, other.userId);
    await fill(instance, { ...other, storeId }, PASSAGES / OTHER_COLLECTIONS, text);
  }
  const costs = new Map<Instance, number[]>([
    [alone, []],
    [instance, []],
  ]);
  for (let round = 0; round < 4 * ROUNDS; round++) {
    for (const [each, spent] of costs) {
      const searcher = searchers.get(each)!;
      spent.push(await cpuOf(() => searchWords(each, searcher, WORDS.common.word)));
    }
  }
  const figure = `search of ${SMALL_COLLECTION} passages with ${OTHER_COLLECTIONS} collections of others ÷ without`;
  addRow(figure, medianOf(costs.get(instance)!), medianOf(costs.get(alone)!), '1.5');
  await alone.app.close();
}

/** Adds files of a hundred passages. */
async function fill(
  instance: Instance,
  { userId, storeId }: Searcher,
  count: number,
  textOf: () => string,
): Promise<void> {
  for (let start = 0; start < count; start += PASSAGES_OF_FILE) {
    const texts = Array.from({ length: Math.min(PASSAGES_OF_FILE, count - start) }, textOf);
    let end = -1;
    const passages = texts.map(({ length }) => {
      const from = end + 1;
      end = from + length;
      return { start: from, end };
    });
    await addIndexedFile(instance, { storeId, ownerId: userId, text: texts.join('\n'), passages });
  }
}

/** Adds vectors to all passages of a collection, a file at a time. */
async function addVectors(instance: Instance, { storeId }: Searcher): Promise<void> {
  const database = instance.app.get(Database);
  const index = instance.app.get(PassageIndex);
  const random = numbersFrom(5);
  const passages = await findRows(
    database.manager,
    KnowledgePassageEntity,
    { storeId },
    { members: ['id', 'ingestionId'] },
  );
  for (let start = 0; start < passages.length; start += PASSAGES_OF_FILE) {
    const ofFile = passages.slice(start, start + PASSAGES_OF_FILE);
    const place = { storeId, ingestionId: ofFile[0]!.ingestionId, generation: 1 };
    const vectors = ofFile.map(({ id }) => ({ passageId: id, vector: Float32Array.from(vector(random)) }));
    await database.write((manager) => index.addVectors(manager, place, vectors));
  }
  while (await index.tidy());
}

function useVectors(instance: Instance): void {
  const random = numbersFrom(7);
  const embed: EmbedQueries = (_caller, queries) =>
    Promise.resolve({ generation: 1, vectors: queries.map(() => Float32Array.from(vector(random))) });
  instance.app.get(QueryEmbedder).use(embed);
}

function vector(random: () => number): number[] {
  return Array.from({ length: DIMENSIONS }, () => random() - 0.5);
}

function searchWords(instance: Instance, searcher: Searcher, word: string): Promise<SearchOutcome> {
  return search(instance, searcher, word, { words: 1, meaning: 0 });
}

function searchBoth(instance: Instance, searcher: Searcher): Promise<SearchOutcome> {
  return search(instance, searcher, WORDS.common.word, { words: 1, meaning: 1 });
}

/** Milliseconds of CPU, the median of the rounds after one that does not count. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  await work();
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    costs.push(await cpuOf(work));
  }
  return medianOf(costs);
}

/** Sorted milliseconds of time. */
async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return times.sort((one, other) => one - other);
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = [process.cpuUsage(), serverMilliseconds()] as const;
  await work();
  const { user, system } = process.cpuUsage(before[0]);
  return (user + system) / 1_000 + serverMilliseconds() - before[1];
}

/** CPU of the database server so far. */
function serverMilliseconds(): number {
  const folder = `/proc/${server?.processId}/task`;
  const threads = server === null ? [] : readdirSync(folder);
  const used = threads.map((thread) => Number(readFileSync(join(folder, thread, 'schedstat'), 'utf8').split(' ')[0]));
  return used.reduce((sum, nanoseconds) => sum + nanoseconds / 1e6, 0);
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

function percentile95(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length * 0.95)]!;
}

function addRow(figure: string, value: number, compared: number, goal: string, unit = ' ms'): void {
  const text = (number: number): string => `${number.toPrecision(3)}${unit}`;
  console.log(`  ${figure}: ${text(value)} against ${text(compared)}, ${(value / compared).toPrecision(3)} (${goal})`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
