import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { Principal } from '../../../common/security/principal';
import type { StatementValue } from '../../../database/connection/statement-result';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { readNumbers } from '../../../database/statements/long-reads';
import { queryRows } from '../../../database/statements/query';
import { idList } from '../../../database/statements/rows-by-id';
import type { SearchedIngestions } from '../../../integrations/passage-index/word-ranking';
import { livingStore, ReadableStores } from '../collections/readable-stores';
import { isExpired } from '../collections/store-activity';
import { KnowledgeExpiredError, KnowledgeNotFoundError } from '../knowledge.errors';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';
import { filterCondition, type SearchFilter } from './search-filter';

/** A passage that a search found, without its text. */
export interface FoundPassage {
  id: number;
  entryId: number;
  storeId: number;
  fileId: number;
  filename: string;
  mediaType: string;
  /** JSON. */
  attributes: string;
  textId: number;
  start: number;
  end: number;
  page: number | null;
  heading: string | null;
}

interface Rows {
  /** The text after FROM. */
  sql: string;
  parameters: StatementValue[];
}

const MOST_STORES = 32;
const MOST_PASSAGES = 1_000_000;

/**
 * What a user may search. Each statement selects by the user's rights: passages of other collections are not read at
 * all.
 */
@Injectable()
export class SearchedStores {
  constructor(
    private readonly database: Database,
    private readonly readable: ReadableStores,
    private readonly clock: Clock,
  ) {}

  /**
   * Requires that the caller may search a collection.
   *
   * @throws KnowledgeNotFoundError, KnowledgeRoleRequiredError, KnowledgeExpiredError
   */
  async requireOne(caller: Principal, id: number): Promise<void> {
    const { store } = await this.readable.requireText(caller, id);
    this.assertLives([store]);
  }

  /** Requires that the caller may search these collections. @throws KnowledgeNotFoundError, KnowledgeExpiredError */
  async require({ userId }: Principal, ids: readonly number[]): Promise<void> {
    const readable = await this.readable.idsOf(userId, ids, ids.length);
    if (readable.length < ids.length) {
      throw new KnowledgeNotFoundError();
    }
    this.assertLives(await findRows(this.database.manager, KnowledgeStoreEntity, { id: In([...ids]) }));
  }

  /** Whether a search of these collections, which the user may read, stays below the limit of passages. */
  async fit(userId: number, storeIds: readonly number[]): Promise<boolean> {
    const counts = await this.passages(userId, storeIds);
    return [...counts.values()].reduce((sum, count) => sum + count, 0) <= MOST_PASSAGES;
  }

  /**
   * The most recently active collections that the user may read, as many as fit into one search.
   *
   * @param among null: all
   */
  async newest(userId: number, among: readonly number[] | null = null): Promise<number[]> {
    const ids = await this.readable.idsOf(userId, among, MOST_STORES);
    const counts = await this.passages(userId, ids);
    let left = MOST_PASSAGES;
    return ids.filter((id) => {
      left -= counts.get(id) ?? 0;
      return left >= 0;
    });
  }

  /** The ingestions that a search reads, in the order of their files. */
  async ingestions(
    userId: number,
    storeIds: readonly number[],
    filter: SearchFilter | null,
  ): Promise<SearchedIngestions> {
    const { sql, parameters } = this.entries(userId, storeIds);
    const order = 'ORDER BY entry.file_id, entry.id';
    const all = await readNumbers(this.database, 'ingestion_id', `${sql} ${order}`, parameters);
    let selected: ReadonlySet<number> | null = null;
    if (filter !== null) {
      const { condition, parameters: values } = filterCondition(filter);
      const rows = `${sql} AND ${condition}`;
      selected = new Set(await readNumbers(this.database, 'ingestion_id', rows, [...parameters, ...values]));
    }
    return { order: new Map(all.map((id, place) => [id, place])), selected };
  }

  /** The passages of these ids that the user may read now. */
  async passagesOf(
    userId: number,
    storeIds: readonly number[],
    passageIds: readonly number[],
  ): Promise<Map<number, FoundPassage>> {
    if (passageIds.length === 0) {
      return new Map();
    }
    const { sql, parameters } = this.entries(userId, storeIds);
    const rows = await queryRows<FoundPassage>(
      this.database.manager,
      `SELECT passage.id AS id, entry.id AS entryId, entry.store_id AS storeId, entry.file_id AS fileId,
         file.filename AS filename, file.media_type AS mediaType, entry.attributes AS attributes, passage.text_id AS textId,
         passage.start_offset AS start, passage.end_offset AS end, passage.page AS page, passage.heading AS heading
       FROM knowledge_passages passage JOIN ${sql} AND passage.ingestion_id = entry.ingestion_id
         AND passage.entry_id = entry.id AND passage.id IN ${idList(passageIds)}`,
      parameters,
    );
    return new Map(rows.map((row) => [Number(row.id), row]));
  }

  /** The texts of these files in these collections, in their order; null: the user may not read it now. */
  async textIdsOf(
    userId: number,
    places: readonly { store_id: number | null; file_id: number }[],
  ): Promise<(number | null)[]> {
    const storeIds = [...new Set(places.flatMap(({ store_id }) => store_id ?? []))];
    if (storeIds.length === 0) {
      return places.map(() => null);
    }
    const { sql, parameters } = this.entries(userId, storeIds);
    const files = idList([...new Set(places.map(({ file_id }) => file_id))]);
    const rows = await queryRows<{ storeId: number; fileId: number; textId: number | null }>(
      this.database.manager,
      `SELECT entry.store_id AS storeId, entry.file_id AS fileId, (SELECT passage.text_id FROM knowledge_passages passage
         WHERE passage.ingestion_id = entry.ingestion_id LIMIT 1) AS textId
       FROM ${sql} AND entry.file_id IN ${files}`,
      parameters,
    );
    const texts = new Map(rows.map(({ storeId, fileId, textId }) => [`${storeId} ${fileId}`, textId]));
    return places.map(({ store_id, file_id }) => texts.get(`${store_id} ${file_id}`) ?? null);
  }

  private assertLives(stores: readonly Pick<KnowledgeStoreEntity, 'expiresAt' | 'expiredAt'>[]): void {
    const now = this.clock.now();
    if (stores.some((store) => isExpired(store, now))) {
      throw new KnowledgeExpiredError();
    }
  }

  /** How many passages a search of each collection reads. */
  private async passages(userId: number, storeIds: readonly number[]): Promise<Map<number, number>> {
    if (storeIds.length === 0) {
      return new Map();
    }
    const { sql, parameters } = this.entries(userId, storeIds);
    const rows = await queryRows<{ id: number; passages: number | string }>(
      this.database.manager,
      `SELECT entry.store_id AS id, SUM(entry.passages) AS passages FROM ${sql} GROUP BY entry.store_id`,
      parameters,
    );
    return new Map(rows.map(({ id, passages }) => [Number(id), Number(passages)]));
  }

  /** The entries whose passages the user may read, in these collections. */
  private entries(userId: number, storeIds: readonly number[]): Rows {
    const stores = this.readable.of(userId);
    const store = livingStore('store', this.clock.now());
    const file = this.readable.visibleFile('file', userId);
    return {
      sql: `(${stores.sql}) AS readable
        JOIN knowledge_stores store ON store.id = readable.id
        JOIN knowledge_entries entry ON entry.store_id = readable.id
        JOIN knowledge_files file ON file.id = entry.file_id
        WHERE readable.id IN ${idList(storeIds)} AND ${store.condition} AND entry.ingestion_id IS NOT NULL AND ${file.condition}`,
      parameters: [...stores.parameters, ...store.parameters, ...file.parameters],
    };
  }
}
