import { setImmediate as turn } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { joinInOrder } from '../../database/connection/dialect';
import type { Database } from '../../database/database';
import { readNumberRows, readRows, toBytes } from '../../database/statements/long-reads';
import { queryRows } from '../../database/statements/query';
import { idList } from '../../database/statements/rows-by-id';
import { execute, executeOnce } from '../../database/statements/run-statement';
import { type PassageWords, termKey } from './passage-words';
import { PostingsWriter } from './postings';
import { queryTerms } from './terms';
import { type ScoredPassage, type SearchedIngestions, type TermPostings, WordRanking } from './word-ranking';

/** Terms of one statement. The rows of all of them are in memory at once: several MB for a term of each passage. */
const TERMS = 8;

/** Rows of one statement. */
const ROWS = 256;

/** Passages of collections. */
export interface SearchedWords {
  storeIds: readonly number[];
  ingestions: SearchedIngestions;
  queries: readonly string[];
  /** How many passages to return for each query. */
  most: number;
  /** Ends the search early. */
  signal?: AbortSignal;
}

/** Stores the words of passages, and finds passages by them. */
export class WordIndex {
  constructor(private readonly database: Database) {}

  /** @param ids the ids of the passages, ascending */
  async add(
    manager: EntityManager,
    { storeId, ingestionId }: { storeId: number; ingestionId: number },
    ids: readonly number[],
    { terms, lengths }: PassageWords,
  ): Promise<void> {
    const firstId = ids[0];
    if (firstId === undefined) {
      return;
    }
    const length = lengths.reduce((sum, each) => sum + each, 0);
    await execute(
      manager,
      'INSERT INTO knowledge_word_parts (first_id, ingestion_id, store_id, passages, length) VALUES (?, ?, ?, ?, ?)',
      [firstId, ingestionId, storeId, ids.length, length],
    );
    const rows = Array.from(terms, ([term, postings]) => {
      const writer = new PostingsWriter(firstId);
      for (let index = 0; index < postings.length; index += 2) {
        const position = postings[index]!;
        writer.add(ids[position]!, postings[index + 1]!, lengths[position]!);
      }
      return { key: termKey(term), bytes: writer.toBytes() };
    });
    // In the order of the table's key, which is several times as fast.
    rows.sort((one, other) => one.key - other.key);
    for (let start = 0; start < rows.length; start += ROWS) {
      const batch = rows.slice(start, start + ROWS);
      const values = batch.map(({ key }) => `(${storeId}, ${key}, ${firstId}, ${ingestionId}, ?)`).join(', ');
      await executeOnce(
        manager,
        `INSERT INTO knowledge_words (store_id, term, first_id, ingestion_id, postings) VALUES ${values}`,
        batch.map(({ bytes }) => bytes),
      );
      await turn();
    }
  }

  /** Removes the parts that begin with one of these passages. */
  async remove(manager: EntityManager, passageIds: readonly number[]): Promise<void> {
    const of = `WHERE first_id IN ${idList(passageIds)}`;
    const parts = await queryRows<{ id: number }>(manager, `SELECT first_id AS id FROM knowledge_word_parts ${of}`);
    for (const { id } of parts) {
      await executeOnce(manager, 'DELETE FROM knowledge_words WHERE first_id = ?', [id]);
    }
    await executeOnce(manager, `DELETE FROM knowledge_word_parts ${of}`);
  }

  /**
   * The passages that contain one of the words of each query, best first. The queries run one after another, because a
   * ranking takes memory for all passages that it finds.
   */
  async search({ storeIds, ingestions, queries, most, signal }: SearchedWords): Promise<ScoredPassage[][]> {
    const statistics = await this.statistics(storeIds, ingestions);
    const best: ScoredPassage[][] = [];
    for (const query of queries) {
      const ranking = new WordRanking(ingestions, statistics);
      const keys = queryTerms(query).map(termKey);
      for (let start = 0; start < keys.length; start += TERMS) {
        signal?.throwIfAborted();
        for (const parts of await this.read(storeIds, keys.slice(start, start + TERMS))) {
          await ranking.add(parts);
        }
      }
      best.push(ranking.best(most));
    }
    return best;
  }

  /** The passages with each of the terms. */
  private async read(storeIds: readonly number[], keys: readonly number[]): Promise<TermPostings[][]> {
    const wanted = keys.map((key, index) => `SELECT ${index} AS position, ${key} AS term`).join(' UNION ALL ');
    const stores = storeIds.map((id) => `SELECT ${Number(id)} AS store_id`).join(' UNION ALL ');
    const join = joinInOrder(this.database.manager);
    // Not `IN`, for which MySQL may read all terms of a collection.
    const rows = await readRows(
      this.database,
      `SELECT wanted.position, words.ingestion_id, words.first_id, words.postings
       FROM (${wanted}) AS wanted ${join} (${stores}) AS stores
       ${join} knowledge_words words ON words.store_id = stores.store_id AND words.term = wanted.term`,
    );
    const parts = keys.map((): TermPostings[] => []);
    for (const [position, ingestionId, firstId, postings] of rows) {
      parts[Number(position)]!.push({
        ingestionId: Number(ingestionId),
        firstId: Number(firstId),
        postings: toBytes(postings),
      });
    }
    return parts;
  }

  /** The number of searched passages, and their length. */
  private async statistics(
    storeIds: readonly number[],
    { order }: SearchedIngestions,
  ): Promise<{ passages: number; length: number }> {
    const rows = await readNumberRows(
      this.database,
      ['ingestion_id', 'passages', 'length'],
      `knowledge_word_parts WHERE store_id IN ${idList(storeIds)}`,
    );
    const sum = { passages: 0, length: 0 };
    for (const [ingestionId = 0, passages = 0, length = 0] of rows) {
      if (order.has(ingestionId)) {
        sum.passages += passages;
        sum.length += length;
      }
    }
    return sum;
  }
}
