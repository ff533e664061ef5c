import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { Principal } from '../../../common/security/principal';
import { joinInOrder } from '../../../database/connection/dialect';
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
  /** SQL behind the table of entries: the other tables and the conditions. */
  sql: string;
  parameters: StatementValue[];
}

const MOST_STORES = 32;
const MOST_PASSAGES = 1_000_000;

/** A user who searches, and a conversation of the user whose files are searched too. */
export interface StoreReader {
  userId: number;
  /** Absent: none. */
  chatId?: number | undefined;
}

/** Collections of conversations: the user, and what limits them. */
const OF_CHATS = 'SELECT id, 1 AS level FROM knowledge_stores WHERE chat_id IS NOT NULL AND owner_id = ? AND ';

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
  async fit(reader: StoreReader, storeIds: readonly number[]): Promise<boolean> {
    const counts = await this.passages(reader, storeIds);
    return [...counts.values()].reduce((sum, count) => sum + count, 0) <= MOST_PASSAGES;
  }

  /**
   * The most recently active collections that the user may read, as many as fit into one search.
   *
   * @param among null: all
   */
  async newest(reader: StoreReader, among: readonly number[] | null = null): Promise<number[]> {
    const readable = await this.readable.idsOf(reader.userId, among, MOST_STORES);
    const ids = [...(await this.ofChat(reader)), ...readable].slice(0, MOST_STORES);
    const counts = await this.passages(reader, ids);
    let left = MOST_PASSAGES;
    return ids.filter((id) => {
      left -= counts.get(id) ?? 0;
      return left >= 0;
    });
  }

  /** The hidden collection with the files of a conversation. Empty: there is none. */
  async ofChat({ userId: ownerId, chatId }: StoreReader): Promise<number[]> {
    const where = { chatId, ownerId };
    const stores =
      chatId === undefined
        ? []
        : await findRows(this.database.manager, KnowledgeStoreEntity, where as object, { members: ['id'] });
    return stores.map(({ id }) => id);
  }

  /** The ingestions that a search reads, in the order of their files. */
  async ingestions(
    reader: StoreReader,
    storeIds: readonly number[],
    filter: SearchFilter | null,
  ): Promise<SearchedIngestions> {
    const { sql, parameters } = this.entries(reader, idList(storeIds));
    const ordered = `knowledge_entries entry ${sql} ORDER BY entry.file_id, entry.id`;
    const all = await readNumbers(this.database, 'ingestion_id', ordered, parameters);
    let selected: ReadonlySet<number> | null = null;
    if (filter !== null) {
      const { condition, parameters: values } = filterCondition(filter);
      const rows = `knowledge_entries entry ${sql} AND ${condition}`;
      selected = new Set(await readNumbers(this.database, 'ingestion_id', rows, [...parameters, ...values]));
    }
    return { order: new Map(all.map((id, place) => [id, place])), selected };
  }

  /** The passages of these ids that the user may read now. */
  async passagesOf(
    reader: StoreReader,
    storeIds: readonly number[],
    passageIds: readonly number[],
  ): Promise<Map<number, FoundPassage>> {
    if (passageIds.length === 0) {
      return new Map();
    }
    const { sql, parameters } = this.entries(reader, idList(storeIds));
    const rows = await queryRows<FoundPassage>(
      this.database.manager,
      `SELECT passage.id AS id, entry.id AS entryId, entry.store_id AS storeId, entry.file_id AS fileId,
         file.filename AS filename, file.media_type AS mediaType, entry.attributes AS attributes, passage.text_id AS textId,
         passage.start_offset AS start, passage.end_offset AS end, passage.page AS page, passage.heading AS heading
       FROM knowledge_passages passage ${joinInOrder(this.database.manager)} knowledge_entries entry
         ON entry.id = passage.entry_id AND entry.ingestion_id = passage.ingestion_id
         ${sql} AND passage.id IN ${idList(passageIds)}`,
      parameters,
    );
    return new Map(rows.map((row) => [Number(row.id), row]));
  }

  /**
   * The texts of these files in these collections, in their order; null: the user may not read it now. Files of
   * conversations have no collection.
   */
  async textIdsOf(
    userId: number,
    places: readonly { store_id: number | null; file_id: number }[],
  ): Promise<(number | null)[]> {
    const isOfChat = (place: (typeof places)[number]): boolean => place.store_id === null;
    const texts = new Map<string, number | null>();
    const stored = places.filter((place) => !isOfChat(place));
    if (stored.length > 0) {
      const storeIds = idList([...new Set(stored.flatMap(({ store_id }) => store_id ?? []))]);
      const rows = await this.textRows(this.entries({ userId }, storeIds), stored);
      rows.forEach(({ storeId, fileId, textId }) => texts.set(`${storeId} ${fileId}`, textId));
    }
    const sent = places.filter(isOfChat);
    if (sent.length > 0) {
      const files = idList([...new Set(sent.map(({ file_id }) => file_id))]);
      const among = `(SELECT store_id FROM knowledge_entries WHERE file_id IN ${files})`;
      const rows = await this.textRows(this.entries({ userId, chatId: 0 }, among), sent);
      rows.forEach(({ fileId, textId }) => texts.set(`null ${fileId}`, textId));
    }
    return places.map(({ store_id, file_id }) => texts.get(`${store_id} ${file_id}`) ?? null);
  }

  private textRows(
    { sql, parameters }: Rows,
    places: readonly { file_id: number }[],
  ): Promise<{ storeId: number; fileId: number; textId: number | null }[]> {
    const files = idList([...new Set(places.map(({ file_id }) => file_id))]);
    return queryRows(
      this.database.manager,
      `SELECT entry.store_id AS storeId, entry.file_id AS fileId, (SELECT passage.text_id FROM knowledge_passages passage
         WHERE passage.ingestion_id = entry.ingestion_id LIMIT 1) AS textId
       FROM knowledge_entries entry ${sql} AND entry.file_id IN ${files}`,
      parameters,
    );
  }

  private assertLives(stores: readonly Pick<KnowledgeStoreEntity, 'expiresAt' | 'expiredAt'>[]): void {
    const now = this.clock.now();
    if (stores.some((store) => isExpired(store, now))) {
      throw new KnowledgeExpiredError();
    }
  }

  /** How many passages a search of each collection reads. */
  private async passages(reader: StoreReader, storeIds: readonly number[]): Promise<Map<number, number>> {
    if (storeIds.length === 0) {
      return new Map();
    }
    const { sql, parameters } = this.entries(reader, idList(storeIds));
    const rows = await queryRows<{ id: number; passages: number | string }>(
      this.database.manager,
      `SELECT entry.store_id AS id, SUM(entry.passages) AS passages FROM knowledge_entries entry ${sql}
       GROUP BY entry.store_id`,
      parameters,
    );
    return new Map(rows.map(({ id, passages }) => [Number(id), Number(passages)]));
  }

  /**
   * The entries whose passages the user may read, in these collections.
   *
   * @param among SQL of the ids
   */
  private entries({ userId, chatId }: StoreReader, among: string): Rows {
    const stores = this.readable.of(userId);
    const store = livingStore('store', this.clock.now());
    const file = this.readable.visibleFile('file', userId);
    const ofChat = chatId === undefined ? null : this.readable.sharedFile('file', userId);
    const own =
      ofChat && `(store.chat_id IS NULL OR file.owner_id = ? OR (file.chat_id IS NULL AND ${ofChat.condition}))`;
    return {
      sql: `JOIN (${stores.sql}${ofChat ? ` UNION ALL ${OF_CHATS} id IN ${among}` : ''}) AS readable
          ON readable.id = entry.store_id
        JOIN knowledge_stores store ON store.id = entry.store_id
        JOIN knowledge_files file ON file.id = entry.file_id
        WHERE readable.id IN ${among} AND ${store.condition} AND entry.ingestion_id IS NOT NULL AND ${file.condition}
          ${own ? `AND ${own}` : ''}`,
      parameters: [
        ...[...stores.parameters, ...(ofChat ? [userId] : [])],
        ...[...store.parameters, ...file.parameters, ...(ofChat ? [userId, ...ofChat.parameters] : [])],
      ],
    };
  }
}
