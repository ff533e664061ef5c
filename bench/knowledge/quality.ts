import Libsql from 'libsql';
import { DocumentParser } from '../../src/integrations/document-parser/document-parser';
import { AUTOMATIC } from '../../src/modules/knowledge/collections/entry-fields';
import { addIndexedFile, type PassageRange } from '../../test/support/indexed-files';
import { OWN_WORDS } from './own-words.js';
import { readDocuments, readQuestions } from './questions.js';
import { type Instance, newSearcher, search } from './searcher';

/** A row of the report. */
interface Quality {
  figure: string;
  ours: number;
  /** SQLite's FTS5 with the stemmer `porter`, over the same passages. */
  theirs: number;
  goal: string;
}

/** A file of the collection, with its passages. */
interface SearchedFile {
  filename: string;
  text: string;
  passages: PassageRange[];
}

/** The files of the ten best passages, by their positions. */
type Find = (query: string) => Promise<number[]> | number[];

/** How often keyword search finds what answers a question, and the questions in users' own words that it misses. */
export async function measureQuality(instance: Instance): Promise<{ rows: Quality[]; missed: string[] }> {
  const { rows, missed } = await ownWords(instance);
  return { rows: [...(await headings(instance)), ...rows], missed };
}

/** The headings as questions: each section without its heading is a file. */
async function headings(instance: Instance): Promise<Quality[]> {
  const { sections, questions } = readQuestions();
  const files = sections.map(({ title: filename, text }) => ({
    filename,
    text,
    passages: [{ start: 0, end: text.length }],
  }));
  const [ours, theirs] = [await oursIn(instance, files), theirsIn(files)];
  const [found, expected]: [number[][], number[][]] = [[], []];
  for (const { query } of questions) {
    found.push(await ours(query));
    expected.push(await theirs(query));
  }
  return [[10, '0.58 and not below FTS5'] as const, [1, '0.25 and not below FTS5'] as const].map(([most, goal]) => {
    const rate = (lists: number[][]): number =>
      lists.filter((list, at) => list.slice(0, most).includes(questions[at]!.answer)).length / questions.length;
    const figure = `hit@${most} of ${questions.length} headings`;
    return { figure, ours: rate(found), theirs: rate(expected), goal };
  });
}

/** Questions in users' own words: the documents are files, as a user adds them. */
async function ownWords(instance: Instance): Promise<{ rows: Quality[]; missed: string[] }> {
  const files: SearchedFile[] = [];
  for (const { name, text } of readDocuments()) {
    files.push({ filename: name, ...(await cut(instance, name, text)) });
  }
  const isFoundBy = async (find: Find, { query, documents }: (typeof OWN_WORDS)[number]): Promise<boolean> =>
    (await find(query)).some((place) => documents.includes(files[place]!.filename));
  const [ours, theirs] = [await oursIn(instance, files), theirsIn(files)];
  const missed: string[] = [];
  let expected = 0;
  for (const question of OWN_WORDS) {
    expected += Number(await isFoundBy(theirs, question));
    if (!(await isFoundBy(ours, question))) {
      missed.push(question.query);
    }
  }
  const figure = `questions in own words of ${OWN_WORDS.length}`;
  return { rows: [{ figure, ours: OWN_WORDS.length - missed.length, theirs: expected, goal: '15' }], missed };
}

/** The text of a file, and its passages by the service's own rule. */
async function cut(instance: Instance, filename: string, content: string): Promise<Omit<SearchedFile, 'filename'>> {
  const task = { kind: 'parse' as const, filename, rule: AUTOMATIC };
  const passages: PassageRange[] = [];
  let text = '';
  const { signal } = new AbortController();
  for await (const part of instance.app.get(DocumentParser).run(task, Buffer.from(content), signal)) {
    if (part.kind === 'piece') {
      text += part.text;
    } else if (part.kind === 'passages') {
      passages.push(...part.passages.map(({ start, end, heading }) => ({ start, end, heading: heading ?? '' })));
    }
  }
  return { text, passages };
}

async function oursIn(instance: Instance, files: readonly SearchedFile[]): Promise<Find> {
  const searcher = await newSearcher(instance);
  const places = new Map<number, number>();
  for (const [place, file] of files.entries()) {
    const { storeId, userId: ownerId } = searcher;
    const { fileId } = await addIndexedFile(instance, { storeId, ownerId, ...file });
    places.set(fileId, place);
  }
  return async (query) => {
    const { results } = await search(instance, searcher, query, { words: 1, meaning: 0 });
    return results.map(({ fileId }) => places.get(fileId)!);
  };
}

function theirsIn(files: readonly SearchedFile[]): Find {
  const reference = new Libsql(':memory:');
  reference.exec("CREATE VIRTUAL TABLE passages USING fts5(title, text, place UNINDEXED, tokenize = 'porter')");
  const insert = reference.prepare('INSERT INTO passages (title, text, place) VALUES (?, ?, ?)');
  for (const [place, { filename, text, passages }] of files.entries()) {
    passages.forEach(({ start, end, heading = '' }) =>
      insert.run([`${filename} ${heading}`, text.slice(start, end), place]),
    );
  }
  const match = reference.prepare(
    'SELECT place FROM passages WHERE passages MATCH ? ORDER BY bm25(passages, 2, 1) LIMIT 10',
  );
  return (query) => {
    const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
    const hits = match.raw().all([words.map((word) => `"${word}"`).join(' OR ')]) as [number][];
    return hits.map(([place]) => place);
  };
}
