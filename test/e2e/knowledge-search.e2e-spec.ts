// @databases mariadb mysql: own SQL over texts, numbers and bytes
import { Database } from '../../src/database/database';
import { deleteRows } from '../../src/database/statements/delete';
import { updateRows } from '../../src/database/statements/update';
import { PassageIndex } from '../../src/integrations/passage-index/passage-index';
import { QueryEmbedder } from '../../src/modules/knowledge/search/query-embedder';
import type { KnowledgeResultsDto } from '../../src/modules/knowledge/search/search.dto';
import { KnowledgeEntryEntity } from '../../src/modules/knowledge/tables/knowledge-entry.entity';
import { KnowledgeStoreEntity } from '../../src/modules/knowledge/tables/knowledge-store.entity';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { PrincipalService } from '../../src/modules/user/sessions/principal.service';
import { createUser, type TestAccount } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { addIndexedFile, ingestAgain, type NewIndexedFile } from '../support/indexed-files';
import { useOwnTestApp } from '../support/use-app';

interface Enveloped<Data> {
  data: Data;
}

describe('searching collections', () => {
  const app = useOwnTestApp();
  let owner: TestAccount;
  let storeId: number;

  const createStore = async ({ token }: TestAccount): Promise<number> =>
    (await call<Enveloped<{ id: number }>>(`${app.url}/knowledge`, { token, body: { name: 'Docs' } })).body.data.id;

  const search = (body: object, { id = storeId, token = owner.token }: { id?: number; token?: string } = {}) =>
    call<Enveloped<KnowledgeResultsDto>>(`${app.url}/knowledge/${id}/search`, { token, body });

  const results = async (body: object, options?: { id?: number; token?: string }) => {
    const answer = await search(body, options);
    expect(answer.status).toBe(200);
    return answer.body.data.results;
  };

  const filesOf = async (body: object, options?: { id?: number; token?: string }) =>
    (await results(body, options)).map(({ file_id }) => file_id);

  const add = (file: Partial<NewIndexedFile> & { text: string }) =>
    addIndexedFile(app, { storeId, ownerId: owner.user.id, ...file });

  const change = (changes: Partial<KnowledgeStoreEntity>, id = storeId) =>
    app.app.get(Database).write((manager) => updateRows(manager, KnowledgeStoreEntity, changes, { id }));

  beforeEach(async () => {
    owner = await createUser(app);
    storeId = await createStore(owner);
  });

  it('finds passages by their words, with their place in the file', async () => {
    const text = `${'Nothing here. '.repeat(6_000)}To reset your password, open the settings 🎉. The end.`;
    const start = text.indexOf('To reset');
    const passages = [
      { start: 0, end: 84_000 },
      { start, end: text.length - 9, page: 12, heading: 'Accounts › Passwords' },
    ];
    const { fileId } = await add({ text, passages, filename: 'handbook.pdf', attributes: { product: 'console' } });
    const answer = await search({ query: 'RESETTING passwords' });
    const { queries, mode, results: found } = answer.body.data;
    expect([answer.status, queries, mode]).toEqual([200, ['RESETTING passwords'], 'words']);
    expect(found).toEqual([
      {
        store_id: storeId,
        file_id: fileId,
        filename: 'handbook.pdf',
        score: expect.closeTo(0.2, 0),
        text: 'To reset your password, open the settings 🎉.',
        attributes: { product: 'console' },
        page: 12,
        heading: 'Accounts › Passwords',
        start,
        end: text.length - 9,
      },
    ]);
  });

  it('returns an empty list if no passage has one of the words', async () => {
    await add({ text: 'Something else' });
    expect(await results({ query: 'password' })).toEqual([]);
    expect(await results({ query: '… !' })).toEqual([]);
  });

  it('finds texts of a passage that spans two pieces of the stored text', async () => {
    const text = `${'x'.repeat(65_530)} word and 🎉 more`;
    await add({ text, passages: [{ start: 65_531, end: text.length }] });
    expect((await results({ query: 'word' })).map((result) => result.text)).toEqual(['word and 🎉 more']);
  });

  it('orders by score, then by file and start, and leaves out lower scores than the threshold', async () => {
    const text = 'same word. same word. ';
    const two = [
      { start: 0, end: 10 },
      { start: 11, end: 21 },
    ];
    const [first, second] = [await add({ text, passages: two }), await add({ text, passages: two })];
    const third = await add({ text: 'word '.repeat(20) });
    const found = await results({ query: 'word' });
    expect(found.map(({ file_id, start }) => [file_id, start])).toEqual([
      [third.fileId, 0],
      [first.fileId, 0],
      [first.fileId, 11],
      [second.fileId, 0],
      [second.fileId, 11],
    ]);
    const scores = found.map(({ score }) => score);
    expect(scores[0]).toBeGreaterThan(scores[1]!);
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
    const options = { ranking_options: { score_threshold: scores[0] } };
    expect(await filesOf({ query: 'word', ...options })).toEqual([third.fileId]);
    expect(await filesOf({ query: 'word', max_num_results: 2 })).toEqual([third.fileId, first.fileId]);
  });

  it('returns one of two passages that overlap by half, and a text that several queries find once', async () => {
    const text = 'one two three four five six seven eight nine ten';
    const passages = [
      { start: 0, end: 28 },
      { start: 14, end: 42 },
      { start: 28, end: text.length },
    ];
    await add({ text, passages });
    const starts = async (query: unknown) => (await results({ query })).map(({ start }) => start);
    expect(await starts(['five six', 'six', 'ten'])).toHaveLength(2);
    expect(await starts(['one', 'two', 'one two'])).toEqual([0]);
  });

  it('searches what the caller may read, from the next request on', async () => {
    const other = await createUser(app);
    const own = await createStore(other);
    const { fileId } = await add({ text: 'A shared secret' });
    const ofOther = await addIndexedFile(app, { storeId: own, ownerId: other.user.id, text: 'An own secret' });
    const all = async (body: object = {}) => {
      const answer = await call<Enveloped<KnowledgeResultsDto>>(`${app.url}/knowledge/search`, {
        token: other.token,
        body: { query: 'secret', ...body },
      });
      return answer.status === 200 ? answer.body.data.results.map(({ file_id }) => file_id) : answer;
    };
    expectFailure(await search({ query: 'secret' }, { token: other.token }), 404, 'KNOWLEDGE_NOT_FOUND');
    expectFailure((await all({ store_ids: [own, storeId] })) as never, 404, 'KNOWLEDGE_NOT_FOUND');
    expect(await all()).toEqual([ofOther.fileId]);
    await change({ everyone: 'reader' });
    expect(await filesOf({ query: 'secret' }, { token: other.token })).toEqual([fileId]);
    expect(new Set((await all()) as number[])).toEqual(new Set([fileId, ofOther.fileId]));
    expect(await all({ store_ids: [storeId] })).toEqual([fileId]);
    await change({ everyone: null });
    expect(await all()).toEqual([ofOther.fileId]);
  });

  it('finds the new passages of an entry, or none, from the next request on', async () => {
    const file = { storeId, ownerId: owner.user.id, text: 'old words' };
    const stored = await add(file);
    expect(await filesOf({ query: 'old' })).toEqual([stored.fileId]);
    await ingestAgain(app, { ...file, ...stored, text: 'new words' });
    expect([await filesOf({ query: 'old' }), await filesOf({ query: 'new' })]).toEqual([[], [stored.fileId]]);
    await app.app.get(Database).write((manager) => deleteRows(manager, KnowledgeEntryEntity, { id: stored.entryId }));
    expect(await filesOf({ query: 'words' })).toEqual([]);
  });

  it('refuses an expired collection, and leaves it out of a search of all', async () => {
    await add({ text: 'word' });
    const searchAll = (body: object = {}) =>
      call<Enveloped<KnowledgeResultsDto>>(`${app.url}/knowledge/search`, {
        token: owner.token,
        body: { query: 'word', ...body },
      });
    expect((await searchAll()).body.data.results).toHaveLength(1);
    await change({ expiresAt: new Date(0), expiresAfterDays: 1 });
    expectFailure(await search({ query: 'word' }), 409, 'KNOWLEDGE_EXPIRED');
    expectFailure(await searchAll({ store_ids: [storeId] }), 409, 'KNOWLEDGE_EXPIRED');
    expect((await searchAll()).body.data.results).toEqual([]);
  });

  describe('with filters', () => {
    const ATTRIBUTES = {
      console: { product: 'console', version: 2, beta: true },
      client: { product: 'client', version: 10, beta: false },
      text: { product: 'Console ', version: '2' },
      none: {},
    };
    let names: Map<number, string>;

    beforeEach(async () => {
      names = new Map();
      for (const [name, attributes] of Object.entries(ATTRIBUTES)) {
        names.set((await add({ text: 'the same word', attributes })).fileId, name);
      }
    });

    it.each([
      [{ type: 'eq', key: 'product', value: 'console' }, ['console']],
      [{ type: 'eq', key: 'product', value: 'Console' }, []],
      [{ type: 'eq', key: 'product', value: 'Console ' }, ['text']],
      [{ type: 'ne', key: 'product', value: 'console' }, ['client', 'text', 'none']],
      [{ type: 'eq', key: 'version', value: 2 }, ['console']],
      [{ type: 'eq', key: 'version', value: '2' }, ['text']],
      [{ type: 'eq', key: 'beta', value: true }, ['console']],
      [{ type: 'eq', key: 'beta', value: 1 }, []],
      [{ type: 'ne', key: 'beta', value: true }, ['client', 'text', 'none']],
      [{ type: 'gt', key: 'version', value: 2 }, ['client']],
      [{ type: 'gte', key: 'version', value: 2 }, ['console', 'client']],
      [{ type: 'lt', key: 'version', value: 10 }, ['console']],
      [{ type: 'gt', key: 'product', value: 'b' }, ['console', 'client']],
      [{ type: 'lte', key: 'product', value: 'Z' }, ['text']],
      [{ type: 'in', key: 'version', value: [2, 10] }, ['console', 'client']],
      [{ type: 'in', key: 'version', value: [] }, []],
      [{ type: 'nin', key: 'version', value: [2, '2'] }, ['client', 'none']],
      [{ type: 'nin', key: 'version', value: [] }, ['console', 'client', 'text', 'none']],
      [{ type: 'eq', key: "x' OR '1'='1", value: 'y' }, []],
      [
        {
          type: 'or',
          filters: [
            { type: 'eq', key: 'product', value: 'client' },
            {
              type: 'and',
              filters: [
                { type: 'eq', key: 'product', value: 'console' },
                { type: 'lt', key: 'version', value: 3 },
              ],
            },
          ],
        },
        ['console', 'client'],
      ],
    ])('selects by %j', async (filters, expected) => {
      const found = await filesOf({ query: 'word', filters });
      expect(found.map((id) => names.get(id)).sort()).toEqual([...expected].sort());
    });
  });

  it('accepts filters up to the limits, and options without effect', async () => {
    const { fileId } = await add({ text: 'word' });
    expect(await filesOf({ query: 'word', filters: nested(5) })).toEqual([fileId]);
    expect(await filesOf({ query: 'word', filters: many(50) })).toEqual([fileId]);
    const options = { ranking_options: { ranker: 'default-2024-11-15' }, rewrite_query: true, filters: null };
    expect(await filesOf({ query: 'word', ...options })).toEqual([fileId]);
  });

  describe('with an embedding model', () => {
    let embed: jest.SpyInstance;

    beforeEach(async () => {
      embed = jest
        .spyOn(app.app.get(QueryEmbedder), 'embed')
        .mockImplementation((_caller, queries) =>
          Promise.resolve({ generation: 1, vectors: queries.map(() => Float32Array.of(1, 0, 0)) }),
        );
      const vectors = [[[1, 0, 0]], [[1, 1, 0]], [[-1, 0, 0]]];
      for (const [at, text] of ['near', 'word', 'far'].entries()) {
        await add({ text, filename: text, vectors: vectors[at] });
      }
    });

    const found = async (weights: object) => {
      const answer = await search({ query: 'word', ranking_options: { hybrid_search: weights } });
      expect(answer.status).toBe(200);
      const { mode, results: list } = answer.body.data;
      return [mode, list.map(({ filename, score }) => [filename, Math.round(score * 1_000) / 1_000])];
    };

    it('finds passages by their meaning, by their words, or by both', async () => {
      expect(await found({ text_weight: 0 })).toEqual([
        'meaning',
        [
          ['near', 1],
          ['word', 0.707],
          ['far', 0],
        ],
      ]);
      const hybrid = await found({});
      expect([hybrid[0], hybrid[1]![0]]).toEqual(['hybrid', ['word', expect.closeTo((61 / 62 + 1) / 2, 2)]]);
      embed.mockClear();
      expect(await found({ embedding_weight: 0 })).toEqual(['words', [['word', expect.any(Number)]]]);
      expect(embed).not.toHaveBeenCalled();
    });

    it('searches by words if the query cannot be embedded, and fails only for semantic search alone', async () => {
      const meaning = { query: 'word', ranking_options: { hybrid_search: { text_weight: 0 } } };
      embed.mockRejectedValue(new Error('The provider is unavailable.'));
      expect(await found({})).toEqual(['words', [['word', expect.any(Number)]]]);
      expectFailure(await search(meaning), 503, 'EMBEDDINGS_UNAVAILABLE');
      embed.mockResolvedValue(null);
      expect((await found({}))[0]).toBe('words');
      expectFailure(await search(meaning), 422, 'EMBEDDINGS_NOT_CONFIGURED');
    });

    it('searches by words if the vectors cannot be compared', async () => {
      jest.spyOn(app.app.get(PassageIndex), 'searchVectors').mockRejectedValue(new Error('The thread ended.'));
      expect(await found({})).toEqual(['words', [['word', expect.any(Number)]]]);
    });

    it('refuses a caller who is banned while the search runs', async () => {
      embed.mockImplementation(async () => {
        await app.app.get(Database).write(async (manager) => {
          await updateRows(manager, UserEntity, { status: 'banned' }, { id: owner.user.id });
          app.app.get(PrincipalService).forget(owner.user.id);
        });
        return null;
      });
      expectFailure(await search({ query: 'word' }), 403, 'ACCOUNT_BANNED');
    });

    it('runs at most four searches of a user at once', async () => {
      let finish = (): void => undefined;
      const waits = new Promise<null>((resolve) => (finish = () => resolve(null)));
      let started = 0;
      const running = new Promise<void>((resolve) => {
        embed.mockImplementation(() => {
          if (++started === 4) resolve();
          return waits;
        });
      });
      const searches = Array.from({ length: 4 }, () => search({ query: 'word' }));
      await running;
      expectFailure(await search({ query: 'word' }), 429, 'TOO_MANY_CONCURRENT');
      const other = await createUser(app);
      const words = { query: 'word', ranking_options: { hybrid_search: { embedding_weight: 0 } } };
      expect((await search(words, { id: await createStore(other), token: other.token })).status).toBe(200);
      finish();
      expect((await Promise.all(searches)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect((await search({ query: 'word' })).status).toBe(200);
    });
  });
});

/** A filter that all entries without attributes pass. */
function nested(levels: number): object {
  return levels === 1 ? { type: 'ne', key: 'a', value: 'b' } : { type: 'and', filters: [nested(levels - 1)] };
}

function many(comparisons: number): object {
  return { type: 'and', filters: Array.from({ length: comparisons }, () => nested(1)) };
}
