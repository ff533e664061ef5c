import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { BackgroundLoop } from '../../common/background/background-loop';
import { gauge } from '../../common/metrics/metrics';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { queryRows } from '../../database/statements/query';
import { idList } from '../../database/statements/rows-by-id';
import { PassageIndexConfig } from './passage-index.config';
import type { PassageWords } from './passage-words';
import { type PassageVector, type SearchedVectors, VectorIndex, type VectorPlace } from './vector-index';
import { type SearchedWords, WordIndex } from './word-index';
import type { ScoredPassage } from './word-ranking';

/**
 * The words and vectors of the passages of collections. A caller adds them in bounded transactions, and shows them all
 * at once by a change of its own: a search names the ingestions that it reads.
 *
 * `WordIndex` stores words, `VectorIndex` vectors; a background loop merges small segments.
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
   * Removes what is stored about passages, in the transaction that deletes their rows. No search may name their
   * ingestions any more: the other passages of an ingestion can lose their words and vectors too.
   */
  async forget(manager: EntityManager, passageIds: readonly number[]): Promise<void> {
    if (passageIds.length === 0) {
      return;
    }
    const ingestions = await queryRows<{ storeId: number; ingestionId: number }>(
      manager,
      `SELECT DISTINCT store_id AS storeId, ingestion_id AS ingestionId FROM knowledge_passages
       WHERE id IN ${idList(passageIds)}`,
    );
    await this.words.remove(manager, passageIds);
    await this.vectors.remove(manager, passageIds, ingestions);
  }

  /** Removes all vectors of an embedding model that no search uses any more. */
  removeGeneration(generation: number): Promise<void> {
    return this.vectors.removeGeneration(generation);
  }

  /** The passages that contain one of the words of each query, best first, with scores from 0 to 1. */
  searchWords(searched: SearchedWords): Promise<ScoredPassage[][]> {
    return this.words.search(searched);
  }

  /** The passages nearest to each query, best first, with their cosines; negative ones are 0. */
  searchVectors(searched: SearchedVectors): Promise<ScoredPassage[][]> {
    return this.vectors.search(searched);
  }

  /** Merges segments of one collection. @returns whether more work may wait */
  async tidy(): Promise<boolean> {
    const [grown] = this.grown;
    if (grown !== undefined && !(await this.vectors.merge(grown[1]))) {
      this.grown.delete(grown[0]);
    }
    return grown !== undefined;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.vectors.scanner.close();
  }
}
