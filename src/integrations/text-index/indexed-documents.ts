import type { EntityManager } from 'typeorm';
import type { Database } from '../../database/database';
import { readRows } from '../../database/statements/long-reads';
import { idList } from '../../database/statements/rows-by-id';

/** More documents than this are not counted. */
const MOST_COUNTED = 100_000;

/** A text of a feature, such as a message. */
export interface IndexedDocument {
  /** Later documents have higher ids. */
  id: number;
  /** What is found, and erased at once: the conversation of a message. */
  groupId: number;
}

/** A document that is in no segment yet. */
export interface NewDocument extends IndexedDocument {
  /** Who searches it; null: nobody, so it is left out. */
  ownerId: number | null;
  /** Length of its text, in bytes or characters: it only says how much is read at once. */
  length: number;
  /** Whether its text is being written. Then it waits, and all that come after it. */
  isOpen: boolean;
}

/** What a feature tells the index of its documents: SQL about their rows, and how new ones are read. */
export interface IndexedDocuments {
  /** The table of the documents, with their ids in `id`. Ids need not follow each other by one. */
  readonly table: string;

  readonly columns: {
    group: string;
    /** Where it stands in its group: from 0 to below the number of documents. Several may stand in one place. */
    place: string;
    text: string;
    /** As that of a `NewDocument`. */
    length: string;
  };

  /** A condition that is true for documents that can be found now. The others are indexed too. */
  readonly isFound: string;

  /** A condition that is true for the documents of an owner, with `?` for their id. */
  readonly isOfOwner: string;

  /**
   * A condition that is true for documents whose text may still change, though nobody else waits for them. A segment with one of
   * them is not built, so that searches read it.
   */
  readonly mayChange: string;

  /** The documents with higher ids than this one, in the order of their ids. */
  after(manager: EntityManager, id: number, limit: number): Promise<NewDocument[]>;
}

/** How long the texts of these documents are, by their ids; without those that are gone. */
export async function lengthsOf(
  database: Database,
  documents: IndexedDocuments,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const rows = await readColumn(database, documents, 'length', ids);
  return new Map(rows.map(([id, length]) => [Number(id), Number(length)]));
}

/** The texts by the ids of their documents; without those that are gone. */
export async function textsOf(
  database: Database,
  documents: IndexedDocuments,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await readColumn(database, documents, 'text', ids);
  return new Map(rows.map(([id, text]) => [Number(id), String(text)]));
}

/** Whether the text of one of these documents may still change. */
export async function mayChange(
  database: Database,
  { table, mayChange: condition }: IndexedDocuments,
  ids: readonly number[],
): Promise<boolean> {
  const rows = await readRows(database, `SELECT 1 FROM ${table} WHERE id IN ${idList(ids)} AND ${condition} LIMIT 1`);
  return rows.length > 0;
}

/** How many documents have higher ids than this one; 100,000 at most. */
export async function countAfter(database: Database, { table }: IndexedDocuments, id: number): Promise<number> {
  const [[count] = []] = await readRows(
    database,
    `SELECT COUNT(*) FROM (SELECT id FROM ${table} WHERE id > ? LIMIT ${MOST_COUNTED}) AS following`,
    [id],
  );
  return Number(count);
}

function readColumn(
  database: Database,
  { table, columns }: IndexedDocuments,
  column: 'length' | 'text',
  ids: readonly number[],
): Promise<unknown[][]> {
  return readRows(database, `SELECT id, ${columns[column]} FROM ${table} WHERE id IN ${idList(ids)}`);
}
