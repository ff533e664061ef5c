import * as v from 'valibot';
import { described } from '../../../common/validation/schemas/described';
import { maxCharacters } from '../../../common/validation/schemas/max-characters';
import type { KnowledgeQuery } from './knowledge-search';
import { limitedFilter } from './search-filter';

const LONGEST_QUERY = 4_096;
const MOST_QUERIES = 10;
const MOST_STORES = 32;

const query = v.pipe(v.string(), v.minLength(1), maxCharacters(LONGEST_QUERY));
const weight = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(10));

const hybridSearch = v.pipe(
  v.object({
    embedding_weight: v.optional(described(weight, 'Weight of semantic search; default: 1.', 1)),
    text_weight: v.optional(described(weight, 'Weight of keyword search; default: 1.', 1)),
  }),
  v.check(({ embedding_weight, text_weight }) => embedding_weight !== 0 || text_weight !== 0, 'conflicts'),
);

const rankingOptions = v.object({
  ranker: v.nullish(described(v.picklist(['auto', 'none', 'default-2024-11-15']), 'All have the same effect.', 'auto')),
  score_threshold: v.nullish(
    described(v.pipe(v.number(), v.minValue(0), v.maxValue(1)), 'Results with a lower score are left out.', 0.2),
  ),
  hybrid_search: v.nullish(
    described(hybridSearch, 'With a weight of 0, only the other search runs.', { embedding_weight: 1, text_weight: 1 }),
  ),
});

/** What both APIs accept. */
export const SEARCH_FIELDS = {
  query: described(
    v.union([query, v.pipe(v.array(query), v.minLength(1), v.maxLength(MOST_QUERIES))]),
    'What to search: a text of up to 4,096 characters, or up to 10 such texts.',
    'How do I reset my password?',
  ),
  filters: v.nullish(
    described(limitedFilter, 'Only entries with these attributes are searched. At most 5 levels and 50 comparisons.', {
      type: 'eq',
      key: 'product',
      value: 'console',
    }),
  ),
  max_num_results: v.nullish(
    described(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50)), 'Default: 10.', 5),
  ),
  ranking_options: v.nullish(described(rankingOptions, 'How results are ranked and selected.')),
  rewrite_query: v.nullish(described(v.boolean(), 'Accepted, and has no effect.', false)),
};

export const searchRequest = v.object(SEARCH_FIELDS);

export type SearchRequestBody = v.InferOutput<typeof searchRequest>;

const storeIds = v.pipe(
  v.array(v.pipe(v.number(), v.integer(), v.minValue(1))),
  v.minLength(1),
  v.maxLength(MOST_STORES),
  v.check((ids) => new Set(ids).size === ids.length, 'duplicate'),
);

/** A search of several collections. */
export const searchAllRequest = v.object({
  ...SEARCH_FIELDS,
  store_ids: v.nullish(
    described(
      storeIds,
      'Up to 32 collections; default: all that you can read, the most recently active ones if there are more.',
      [3, 8],
    ),
  ),
});

export type SearchAllRequestBody = v.InferOutput<typeof searchAllRequest>;

export function queriesOf({ query }: SearchRequestBody): string[] {
  return typeof query === 'string' ? [query] : query;
}

const DEFAULT_RESULTS = 10;

export function toKnowledgeQuery(body: SearchRequestBody): KnowledgeQuery {
  const { filters, max_num_results: limit, ranking_options: ranking } = body;
  const weights = ranking?.hybrid_search;
  return {
    queries: queriesOf(body),
    filter: filters ?? null,
    limit: limit ?? DEFAULT_RESULTS,
    weights: { words: weights?.text_weight ?? 1, meaning: weights?.embedding_weight ?? 1 },
    threshold: ranking?.score_threshold ?? 0,
  };
}
