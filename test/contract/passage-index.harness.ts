import { type INestApplicationContext, Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { CommonModule } from '../../src/common/common.module';
import { Lifecycle } from '../../src/common/lifecycle';
import { Database } from '../../src/database/database';
import { DatabaseModule } from '../../src/database/database.module';
import { queryRows } from '../../src/database/statements/query';
import { PassageIndex } from '../../src/integrations/passage-index/passage-index';
import { PassageIndexModule } from '../../src/integrations/passage-index/passage-index.module';
import { readWords } from '../../src/integrations/passage-index/passage-words';
import { partOfService } from '../support/service-features';

/** A file of a collection, with the texts of its passages. */
export interface IndexedFile {
  storeId: number;
  ingestionId: number;
  ids: number[];
}

const TABLES = [
  'knowledge_passages',
  'knowledge_words',
  'knowledge_word_parts',
  'knowledge_vectors',
  'knowledge_segments',
] as const;

/** A process that runs only the index of passages, with the tables of the service. */
export class IndexService {
  private constructor(private readonly app: INestApplicationContext) {}

  static async start(databaseUrl: string, memoryMb = 64): Promise<IndexService> {
    const environment = { NODE_ENV: 'test', DATABASE_URL: databaseUrl, KNOWLEDGE_MEMORY_MB: String(memoryMb) };
    const builder = Test.createTestingModule({
      imports: partOfService(environment, [DatabaseModule.forRoot(), CommonModule, PassageIndexModule]),
    });
    const app = await builder.compile();
    Logger.overrideLogger(false);
    const service = new IndexService(app);
    await app.init();
    await service.database.whenReady();
    return service;
  }

  get index(): PassageIndex {
    return this.app.get(PassageIndex);
  }

  get database(): Database {
    return this.app.get(Database);
  }

  /** Adds a file with a passage for each text. */
  async add(
    storeId: number,
    ingestionId: number,
    texts: readonly string[],
    { filename = 'file.txt', heading = null }: { filename?: string; heading?: string | null } = {},
  ): Promise<IndexedFile> {
    const words = await readWords(texts.map((text) => ({ text, filename, heading })));
    const ids = await this.database.write(async (manager) => {
      for (const number of texts.keys()) {
        await manager.query(
          `INSERT INTO knowledge_passages
             (store_id, entry_id, ingestion_id, number, text_id, start_offset, end_offset, tokens, hash)
           VALUES (?, ?, ?, ?, 1, 0, 1, 1, '')`,
          [storeId, ingestionId, ingestionId, number],
        );
      }
      const rows = await queryRows<{ id: number }>(
        manager,
        'SELECT id FROM knowledge_passages WHERE ingestion_id = ? ORDER BY id',
        [ingestionId],
      );
      const made = rows.map(({ id }) => id);
      await this.index.addWords(manager, { storeId, ingestionId }, made, words);
      return made;
    });
    return { storeId, ingestionId, ids };
  }

  async addVectors(
    { storeId, ingestionId, ids }: IndexedFile,
    vectorOf: (position: number) => Float32Array,
    generation = 1,
  ): Promise<void> {
    const vectors = ids.map((passageId, position) => ({ passageId, vector: vectorOf(position) }));
    await this.database.write((manager) =>
      this.index.addVectors(manager, { storeId, ingestionId, generation }, vectors),
    );
  }

  /** In two transactions, as a long file is removed. */
  async remove({ ids }: IndexedFile): Promise<void> {
    const half = Math.ceil(ids.length / 2);
    for (const part of [ids.slice(0, half), ids.slice(half)]) {
      await this.database.write(async (manager) => {
        await this.index.forget(manager, part);
        await manager.query(`DELETE FROM knowledge_passages WHERE id IN (${[0, ...part].join()})`);
      });
    }
  }

  /** The passages that contain one of the words of the query, best first. */
  async words(
    files: readonly IndexedFile[],
    query: string,
    selected: readonly IndexedFile[] = files,
  ): Promise<number[]> {
    return (await this.scores(files, query, selected)).map(({ passageId }) => passageId);
  }

  async scores(files: readonly IndexedFile[], query: string, selected: readonly IndexedFile[] = files) {
    const ofFiles = { order: new Map(files.map(({ ingestionId }, place) => [ingestionId, place])) };
    const [found = []] = await this.index.searchWords({
      storeIds: [...new Set(files.map(({ storeId }) => storeId))],
      ingestions: { ...ofFiles, selected: new Set(selected.map(({ ingestionId }) => ingestionId)) },
      queries: [query],
      most: 200,
    });
    return found;
  }

  async nearest(files: readonly IndexedFile[], query: Float32Array, most = 10, generation = 1) {
    const [found = []] = await this.index.searchVectors({
      storeIds: [...new Set(files.map(({ storeId }) => storeId))],
      ingestionIds: files.map(({ ingestionId }) => ingestionId),
      generation,
      queries: [query],
      most,
    });
    return found;
  }

  /** Merges until there is nothing left to merge. */
  async settle(): Promise<void> {
    while (await this.index.tidy());
  }

  /** How many rows of a collection each table has. */
  async rows(storeId: number): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      const of =
        table === 'knowledge_vectors'
          ? 'knowledge_vectors JOIN knowledge_passages ON knowledge_passages.id = passage_id'
          : table;
      const [row] = await queryRows<{ count: number | string }>(
        this.database.manager,
        `SELECT COUNT(*) AS count FROM ${of} WHERE store_id = ?`,
        [storeId],
      );
      counts[table.replace('knowledge_', '')] = Number(row?.count);
    }
    return counts;
  }

  async close(): Promise<void> {
    await this.app.get(Lifecycle).drain();
    await this.app.close();
  }
}
