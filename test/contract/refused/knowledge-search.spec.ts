import { refuseBody } from '../../support/refused-requests';

/** A filter of this many levels. */
function nested(levels: number): object {
  return levels === 1 ? { type: 'ne', key: 'a', value: 'b' } : { type: 'and', filters: [nested(levels - 1)] };
}

/** A filter with this many comparisons. */
function many(comparisons: number): object {
  return { type: 'or', filters: Array.from({ length: comparisons }, () => nested(1)) };
}

describe('POST /knowledge/{id}/search', () => {
  it.each<[object, string]>([
    [{}, 'query'],
    [{ query: '' }, 'query'],
    [{ query: [] }, 'query'],
    [{ query: Array(11).fill('a') }, 'query'],
    [{ query: 'a'.repeat(4_097) }, 'query'],
    [{ query: 'a', max_num_results: 51 }, 'max_num_results'],
    [{ query: 'a', ranking_options: { score_threshold: 1.5 } }, 'ranking_options.score_threshold'],
    [{ query: 'a', ranking_options: { ranker: 'best' } }, 'ranking_options.ranker'],
    [
      { query: 'a', ranking_options: { hybrid_search: { embedding_weight: 0, text_weight: 0 } } },
      'ranking_options.hybrid_search',
    ],
    [{ query: 'a', filters: { type: 'gt', key: 'a', value: true } }, 'filters.value'],
    [{ query: 'a', filters: { type: 'in', key: 'a', value: 'b' } }, 'filters.value'],
    [{ query: 'a', filters: { type: 'in', key: 'a', value: Array(101).fill('b') } }, 'filters.value'],
    [{ query: 'a', filters: { type: 'like', key: 'a', value: 'b' } }, 'filters.type'],
    [{ query: 'a', filters: { type: 'and', filters: [] } }, 'filters.filters'],
    [{ query: 'a', filters: nested(6) }, 'filters'],
    [{ query: 'a', filters: nested(8) }, 'filters'],
    [{ query: 'a', filters: { type: 'eq', key: '', value: 1 } }, 'filters.key'],
    [{ query: 'a', filters: { type: 'eq', key: 'a', value: null } }, 'filters.value'],
    [{ query: 'a', filters: [] }, 'filters.type'],
    [{ query: 'a', filters: many(51) }, 'filters.filters'],
    [{ query: 'a', filters: { type: 'and', filters: [many(30), many(30)] } }, 'filters'],
  ])('refuses %j', async (body, field) => {
    expect(await refuseBody('POST /knowledge/1/search', body)).toMatchObject({ field });
  });
});

describe('POST /knowledge/search', () => {
  it.each([[Array.from({ length: 33 }, (_id, at) => at + 1)], [[7, 7]], [[]], [[0]], [['7']], [7]])(
    'refuses the collections %j',
    async (store_ids) => {
      const { field } = await refuseBody('POST /knowledge/search', { query: 'a', store_ids });
      expect(field).toMatch(/^store_ids/);
    },
  );
});
