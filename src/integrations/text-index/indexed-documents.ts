import type { EntityManager } from 'typeorm';
import type { Database } from '../../database/database';
import { readRows } from '../../database/statements/long-reads';
import { idList } from '../../database/statements/rows-by-id';

/** At most this many documents are counted. */
const MOST_COUNTED = 100_000;

/** A text of a feature, such as a message. */
export interface IndexedDocument {
  /** Later documents have higher ids. */
  id: number;
  /** The group that is found, and erased, as a whole: for a message, its conversation. */
  groupId: number;
}

/** A document that is in no segment yet. */
export interface NewDocument extends IndexedDocument {
  /** The user who can search it; null if there is none, and the document is skipped. */
  ownerId: number | null;
  /** Length of its text, in bytes or characters. It only decides how much is read at once. */
  length: number;
  /** Whether its text is still being written. The document, and all later ones, then have to wait. */
  isOpen: boolean;
}

/** How the index reads the documents of a feature: SQL about their rows, and a function that reads new ones. */
export interface IndexedDocuments {
  /** The table of the documents, with their ids in `id`. Ids need not be consecutive. */
  readonly table: string;

  readonly columns: {
    group: string;
    /** Its place in its group: from 0 to below the number of documents. Several documents may have the same place. */
    place: string;
    text: string;
    /** Length in the unit of `NewDocument`. */
    length: string;
  };

  /** A condition that is true for documents that can be found now. The others are indexed too. */
  readonly isFound: string;

  /** A condition that is true for the documents of an owner, with `?` for the owner's id. */
  readonly isOfOwner: string;

  /**
   * A condition that is true for documents whose text may still change, although indexing does not wait for them. A
   * segment with such a document is not built, so that searches read the document.
   */
  readonly mayChange: string;

  /** The documents with higher ids than this one, in the order of their ids. */
  after(manager: EntityManager, id: number, limit: number): Promise<NewDocument[]>;
}

/** The lengths of the texts of these documents, by id, without deleted ones. */
export async function lengthsOf(
  database: Database,
  documents: IndexedDocuments,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const rows = await readColumn(database, documents, 'length', ids);
  return new Map(rows.map(([id, length]) => [Number(id), Number(length)]));
}

/** The texts of these documents, by id, without deleted ones. */
export async function documentTexts(
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

/** How many documents have higher ids than this one; at most 100,000. */
export async function countNewer(database: Database, { table }: IndexedDocuments, id: number): Promise<number> {
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
