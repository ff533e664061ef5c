import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '../../../common/errors/api-error';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { UserTurns } from '../../../common/load/user-turns';
import { histogram } from '../../../common/metrics/metrics';
import type { Principal } from '../../../common/security/principal';
import { SessionRevokedError } from '../../../common/security/security.errors';
import { TimeLimit } from '../../../common/time-limit';
import { PassageIndex } from '../../../integrations/passage-index/passage-index';
import type { SearchedVectors } from '../../../integrations/passage-index/vector-index';
import type { ScoredPassage } from '../../../integrations/passage-index/word-ranking';
import { PrincipalService } from '../../user/user.api';
import { StoreActivity } from '../collections/store-activity';
import { EmbeddingsUnavailableError } from '../embedding/embedding.errors';
import { fuseRankings, joinQueries, type SearchWeights, withoutOverlaps } from './fusion';
import { PassageTexts } from './passage-texts';
import { QueryEmbedder, type QueryVectors } from './query-embedder';
import { EmbeddingsNotConfiguredError, TooManySearchesError } from './search.errors';
import type { SearchFilter } from './search-filter';
import { type FoundPassage, SearchedStores, type StoreReader } from './searched-stores';

export const SEARCH_MODES = ['words', 'hybrid', 'meaning'] as const;

/** `words`: keyword search; `meaning`: semantic search; `hybrid`: both. */
export type SearchMode = (typeof SEARCH_MODES)[number];

export interface KnowledgeQuery {
  /** 1 to 10 texts. */
  queries: readonly string[];
  filter: SearchFilter | null;
  /** The maximum number of results. */
  limit: number;
  weights: SearchWeights;
  /** From 0 to 1: results with a lower score are left out. */
  threshold: number;
}

export interface SearchResult extends FoundPassage {
  score: number;
  text: string;
}

export interface SearchOutcome {
  mode: SearchMode;
  results: SearchResult[];
}

interface Ranking {
  mode: SearchMode;
  /** By passage. */
  scores: Map<number, number>;
}

/** The user with whose rights a search runs, and who pays for embeddings. */
export type Searcher = Pick<Principal, 'userId' | 'apiKeyId'> & StoreReader;

interface Search extends KnowledgeQuery {
  caller: Searcher;
  storeIds: readonly number[];
  signal: AbortSignal;
}

const SEARCHES_AT_ONCE = 4;

/** Searches of a user's replies wait for each other. */
const WAITING_SEARCHES = 100;
const MOST_MILLISECONDS = 10_000;

/** Each search of 1,000,000 passages takes 100 MB while it ranks them. The others wait, up to the time limit. */
const SEARCHES_OF_PROCESS = { running: 4, waiting: 1_000 };

/**
 * The length of each ranking: four times the most results. It is the same for each number of results, so that scores do
 * not depend on it.
 */
const RANKING_LENGTH = 200;

/** A result hides at most the passages before and after it. */
const CANDIDATES_PER_RESULT = 3;

const seconds = (): ReturnType<typeof histogram<'mode'>> =>
  histogram(
    'knowledge_search_seconds',
    'Time of searches in collections.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ['mode'],
  );

/** Searches collections with the rights of a user. */
@Injectable()
export class KnowledgeSearch {
  private readonly logger = new Logger(KnowledgeSearch.name);
  private readonly turns = new UserTurns(SEARCHES_OF_PROCESS, {
    running: SEARCHES_AT_ONCE,
    waiting: WAITING_SEARCHES,
  });
  /** Running searches by user. */
  private readonly running = new Map<number, number>();

  constructor(
    private readonly index: PassageIndex,
    private readonly stores: SearchedStores,
    private readonly texts: PassageTexts,
    private readonly embedder: QueryEmbedder,
    private readonly activity: StoreActivity,
    private readonly principals: PrincipalService,
  ) {}

  /**
   * @param storeIds collections, of which only those are read that the user may read; null: the most recently active
   *   ones that fit into a search
   * @throws TooManySearchesError, ValidationFailedError on `store_ids` if they have too many passages,
   *   EmbeddingsNotConfiguredError or a failure of the embedding model if only semantic search is requested,
   *   ServiceUnavailableError after ten seconds
   */
  async search(caller: Searcher, storeIds: readonly number[] | null, query: KnowledgeQuery): Promise<SearchOutcome> {
    const { userId } = caller;
    const others = this.running.get(userId) ?? 0;
    if (others >= SEARCHES_AT_ONCE) {
      throw new TooManySearchesError(SEARCHES_AT_ONCE);
    }
    this.running.set(userId, others + 1);
    return this.inTime((signal) => this.run(caller, storeIds, query, signal).finally(() => this.end(userId)));
  }

  /**
   * A search of a reply, which waits while its user has others.
   *
   * @param storeIds collections that fit into one search, of which only those are read that the user may read
   * @throws ServiceUnavailableError after ten seconds
   */
  searchForReply(reader: StoreReader, storeIds: readonly number[], query: KnowledgeQuery): Promise<SearchOutcome> {
    return this.inTime((signal) => this.run({ ...reader, apiKeyId: null }, storeIds, query, signal));
  }

  private async inTime(work: (signal: AbortSignal) => Promise<SearchOutcome>): Promise<SearchOutcome> {
    const limit = new TimeLimit(MOST_MILLISECONDS);
    try {
      return await limit.of(work(limit.signal), new ServiceUnavailableError('A search took too long.'));
    } finally {
      limit.end();
    }
  }

  private end(userId: number): void {
    const others = (this.running.get(userId) ?? 0) - 1;
    if (others > 0) {
      this.running.set(userId, others);
    } else {
      this.running.delete(userId);
    }
  }

  private async run(
    caller: Searcher,
    named: readonly number[] | null,
    query: KnowledgeQuery,
    signal: AbortSignal,
  ): Promise<SearchOutcome> {
    const began = performance.now();
    const storeIds = named ?? (await this.stores.newest(caller));
    // A single collection has its own limit.
    if (named !== null && named.length > 1 && !(await this.stores.fit(caller, named))) {
      throw ValidationFailedError.of('store_ids', 'too_many_passages');
    }
    if (storeIds.length === 0) {
      return { mode: 'words', results: [] };
    }
    const search: Search = { ...query, caller, storeIds, signal };
    const vectors = await this.vectorsOf(search);
    const { mode, scores } = await this.turns.run(caller.userId, () => this.rank(search, vectors));
    const results = await this.results(search, scores);
    await this.activity.note(storeIds);
    seconds().observe({ mode }, (performance.now() - began) / 1_000);
    return { mode, results };
  }

  /** The vectors of the queries; null for keyword search. */
  private async vectorsOf({ caller, queries, weights }: Search): Promise<QueryVectors | null> {
    if (weights.meaning === 0) {
      return null;
    }
    try {
      const vectors = await this.embedder.embed(caller, queries);
      if (vectors !== null || weights.words > 0) {
        return vectors;
      }
    } catch (error) {
      if (weights.words > 0) {
        return null;
      }
      throw error instanceof ApiError ? error : new EmbeddingsUnavailableError(error as Error);
    }
    throw new EmbeddingsNotConfiguredError();
  }

  /** The scores of the best passages, each by the query that finds it best. */
  private async rank(search: Search, vectors: QueryVectors | null): Promise<Ranking> {
    const { caller, storeIds, filter, queries, weights, signal } = search;
    const ingestions = await this.stores.ingestions(caller, storeIds, filter);
    const selected = ingestions.selected ?? new Set(ingestions.order.keys());
    if (selected.size === 0) {
      return { mode: modeOf(weights, vectors), scores: new Map() };
    }
    const common = { storeIds, most: RANKING_LENGTH, signal };
    const [byWords, byMeaning] = await Promise.all([
      weights.words > 0 ? this.index.searchWords({ ...common, ingestions, queries }) : null,
      vectors && this.rankByMeaning(search, { ...common, ingestionIds: [...selected] }, vectors),
    ]);
    const scores = joinQueries(
      queries.map((_query, index) => {
        const words = byWords?.[index] ?? [];
        const meaning = byMeaning?.[index] ?? [];
        if (byWords !== null && byMeaning !== null) {
          return fuseRankings(words, meaning, weights);
        }
        return scoresOf(byWords === null ? meaning : words);
      }),
    );
    return { mode: modeOf(weights, byMeaning), scores };
  }

  /** Null if it fails and there is keyword search. */
  private async rankByMeaning(
    { weights, signal }: Search,
    searched: Pick<SearchedVectors, 'storeIds' | 'ingestionIds' | 'most' | 'signal'>,
    { generation, vectors: queries }: QueryVectors,
  ): Promise<ScoredPassage[][] | null> {
    try {
      return await this.index.searchVectors({ ...searched, generation, queries });
    } catch (error) {
      if (weights.words === 0 || signal.aborted) {
        throw error;
      }
      this.logger.warn({ error }, 'A search could not compare vectors.');
      return null;
    }
  }

  private async results(search: Search, scores: ReadonlyMap<number, number>): Promise<SearchResult[]> {
    const shown = await this.shown(search, scores);
    const texts = await this.texts.read(shown);
    search.signal.throwIfAborted();
    await this.assertMayCall(search.caller);
    // A right that was lost, or a text that was deleted, while the search ran.
    const still = await this.stores.passagesOf(
      search.caller,
      search.storeIds,
      shown.map(({ id }) => id),
    );
    return shown.flatMap((passage, index) =>
      still.has(passage.id) && texts[index] ? [{ ...passage, text: texts[index] }] : [],
    );
  }

  /** @throws AccountBannedError, IdentitySuspendedError, SessionRevokedError if this changed while the search ran */
  private async assertMayCall({ userId }: Searcher): Promise<void> {
    if ((await this.principals.ofUser(userId)) === null) {
      throw new SessionRevokedError();
    }
  }

  /** The best passages without overlaps. Reads as many as are needed for that. */
  private async shown(
    { caller, storeIds, limit, threshold }: Search,
    scores: ReadonlyMap<number, number>,
  ): Promise<(FoundPassage & { score: number })[]> {
    const best = [...scores].filter(([, score]) => score >= threshold).sort(([, one], [, other]) => other - one);
    const ranked: (FoundPassage & { score: number })[] = [];
    let shown: typeof ranked = [];
    for (let start = 0; start < best.length && shown.length < limit;) {
      const part = best.slice(start, endOfPart(best, start + CANDIDATES_PER_RESULT * limit));
      start += part.length;
      const ids = part.map(([id]) => id);
      const found = await this.stores.passagesOf(caller, storeIds, ids);
      const passages = part.flatMap(([id, score]) => (found.has(id) ? [{ ...found.get(id)!, score }] : []));
      ranked.push(...passages.sort(compareResults));
      shown = withoutOverlaps(ranked, limit);
    }
    return shown;
  }
}

/** Passages with equal scores are in one part. */
function endOfPart(best: readonly [id: number, score: number][], end: number): number {
  let last = Math.min(end, best.length);
  while (last < best.length && best[last]![1] === best[last - 1]![1]) {
    last++;
  }
  return last;
}

function compareResults(one: FoundPassage & { score: number }, other: FoundPassage & { score: number }): number {
  return other.score - one.score || one.fileId - other.fileId || one.start - other.start;
}

function modeOf(weights: SearchWeights, vectors: object | null): SearchMode {
  if (vectors === null) {
    return 'words';
  }
  return weights.words === 0 ? 'meaning' : 'hybrid';
}

function scoresOf(ranking: readonly ScoredPassage[]): Map<number, number> {
  return new Map(ranking.map(({ passageId, score }) => [passageId, score]));
}
