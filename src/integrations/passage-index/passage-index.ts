import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { BackgroundLoop } from '../../common/background/background-loop';
import { gauge } from '../../common/metrics/metrics';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { readNumbers, readRows } from '../../database/statements/long-reads';
import { idList } from '../../database/statements/rows-by-id';
import { executeOnce } from '../../database/statements/run-statement';
import { PassageIndexConfig } from './passage-index.config';
import type { PassageWords } from './passage-words';
import { type PassageVector, type SearchedVectors, VectorIndex, type VectorPlace } from './vector-index';
import { type SearchedWords, WordIndex } from './word-index';
import type { ScoredPassage } from './word-ranking';

/** Passages whose vectors are removed in one transaction. */
const PASSAGES = 1_000;

/** Removals of an instance that has died are continued after this time. */
const IDLE_MILLISECONDS = 60_000;

/**
 * The words and vectors of the passages of collections. A caller adds them in bounded transactions, and shows them all
 * at once by a change of its own: a search names the ingestions that it reads.
 *
 * `WordIndex` stores words, `VectorIndex` vectors; a background loop removes ingestions and merges small segments.
 */
@Injectable()
export class PassageIndex implements OnApplicationShutdown {
  private readonly logger = new Logger(PassageIndex.name);
  private readonly words: WordIndex;
  private readonly vectors: VectorIndex;
  private readonly loop: BackgroundLoop;
  /** Collections with new segments, by their id and generation. */
  private readonly grown = new Map<string, VectorPlace>();

  constructor(
    private readonly database: Database,
    background: BackgroundWork,
    config: PassageIndexConfig,
  ) {
    this.words = new WordIndex(database);
    this.vectors = new VectorIndex(database, config.KNOWLEDGE_MEMORY_MB * 2 ** 20);
    this.loop = background.add({
      step: async () => ((await this.tidy()) ? 0 : null),
      onError: (error) => this.logger.warn({ error }, 'The index of passages could not be tidied.'),
      idleMilliseconds: IDLE_MILLISECONDS,
    });
    gauge('knowledge_memory_bytes', 'Vectors of passages in memory.', () => this.vectors.scanner.memoryBytes);
  }

  /**
   * Adds the words of passages, within `Database.write`. Read them with `readWords` before the transaction.
   *
   * @param ids the ids of the passages, ascending; at most 1,024, and 256 are a good number
   */
  addWords(
    manager: EntityManager,
    target: { storeId: number; ingestionId: number },
    ids: readonly number[],
    words: PassageWords,
  ): Promise<void> {
    return this.words.add(manager, target, ids, words);
  }

  /** Adds vectors of passages of one ingestion, within `Database.write`. All of a generation have the same length. */
  async addVectors(
    manager: EntityManager,
    { storeId, ingestionId, generation }: VectorPlace & { ingestionId: number },
    vectors: readonly PassageVector[],
  ): Promise<void> {
    await this.vectors.add(manager, { storeId, generation }, ingestionId, vectors);
    this.database.onCommit(() => {
      this.grown.set(`${storeId}:${generation}`, { storeId, generation });
      this.loop.wake();
    });
  }

  /**
   * Removes ingestions with their passages, words and vectors, within the transaction after which no search names them
   * any more. The rows are deleted after it in batches.
   */
  async remove(manager: EntityManager, storeId: number, ingestionIds: readonly number[]): Promise<void> {
    for (const ingestionId of ingestionIds) {
      await executeOnce(
        manager,
        `INSERT INTO knowledge_removals (ingestion_id, store_id) SELECT ${Number(ingestionId)}, ${Number(storeId)}
         WHERE NOT EXISTS (SELECT 1 FROM knowledge_removals WHERE ingestion_id = ${Number(ingestionId)})`,
      );
    }
    this.database.onCommit(() => this.loop.wake());
  }

  /** Removes all vectors of an embedding model that no search uses any more. */
  removeGeneration(generation: number): Promise<void> {
    return this.vectors.removeGeneration(generation);
  }

  /** The passages that have a word of each query, best first, with scores from 0 to 1. */
  searchWords(searched: SearchedWords): Promise<ScoredPassage[][]> {
    return this.words.search(searched);
  }

  /** The passages nearest to each query, best first, with their cosines; negative ones are 0. */
  searchVectors(searched: SearchedVectors): Promise<ScoredPassage[][]> {
    return this.vectors.search(searched);
  }

  /** Removes an ingestion, or merges segments. @returns whether more work may wait */
  async tidy(): Promise<boolean> {
    const [removal] = await readRows(this.database, 'SELECT ingestion_id, store_id FROM knowledge_removals LIMIT 1');
    if (removal !== undefined) {
      await this.removeIngestion(Number(removal[0]), Number(removal[1]));
      return true;
    }
    const [grown] = this.grown;
    if (grown !== undefined && !(await this.vectors.merge(grown[1]))) {
      this.grown.delete(grown[0]);
    }
    return grown !== undefined;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.vectors.scanner.close();
  }

  /** In bounded transactions. Each has no effect the second time, so several instances may do it. */
  private async removeIngestion(ingestionId: number, storeId: number): Promise<void> {
    const parts = `knowledge_word_parts WHERE ingestion_id = ${ingestionId}`;
    for (const firstId of await readNumbers(this.database, 'first_id', parts, [])) {
      await this.database.write(async (manager) => {
        const condition = `ingestion_id = ${ingestionId} AND first_id = ${firstId}`;
        await executeOnce(manager, `DELETE FROM knowledge_words WHERE ${condition}`);
        await executeOnce(manager, `DELETE FROM knowledge_word_parts WHERE ${condition}`);
      });
    }
    await this.vectors.removeIngestion(storeId, ingestionId);
    const passages = `knowledge_passages WHERE ingestion_id = ${ingestionId} ORDER BY id LIMIT ${PASSAGES}`;
    const read = (): Promise<number[]> => readNumbers(this.database, 'id', passages, []);
    for (let ids = await read(); ids.length > 0; ids = await read()) {
      await this.database.write(async (manager) => {
        await executeOnce(manager, `DELETE FROM knowledge_vectors WHERE passage_id IN ${idList(ids)}`);
        await executeOnce(manager, `DELETE FROM knowledge_passages WHERE id IN ${idList(ids)}`);
      });
    }
    await this.database.write((manager) =>
      executeOnce(manager, `DELETE FROM knowledge_removals WHERE ingestion_id = ${ingestionId}`),
    );
  }
}
