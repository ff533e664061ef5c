// @databases mariadb mysql: holds and settlements are raw SQL
import { once } from 'node:events';
import type { CostDto } from '../../src/modules/admin/statistics/costs.dto';
import { newcomer } from '../support/accounts';
import { type AnthropicCaller, type AnthropicError, ask, textOf, useAnthropicApi } from '../support/anthropic-api';
import { event, events, head, json, message, messageEvents } from '../support/anthropic-upstream';
import { makeBudget } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { useOwnChatApp } from '../support/use-app';

const app = useOwnChatApp({ CONCURRENT_NORMAL: '50', RATE_LIMIT_NORMAL: '10000' });
const api = useAnthropicApi(app);

/** Prices of a million tokens. */
const PRICE = {
  input: '1',
  cached_input: '0.1',
  cache_write: '1.25',
  cache_write_1h: '2',
  output: '10',
  per_web_search: '0.01',
};

const CACHED_USAGE = {
  input_tokens: 100,
  cache_read_input_tokens: 1_000,
  cache_creation_input_tokens: 500,
  cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 300 },
  server_tool_use: { web_search_requests: 2 },
  output_tokens: 50,
};

/** 100 at 1, 1,000 at 0.1, 200 at 1.25, 300 at 2, 50 at 10, and two searches. */
const CACHED_COST = '0.02155';

beforeAll(async () => {
  const provider = api.provider;
  const fast = { model: 'claude-*@fast', input: '6', output: '60' };
  for (const price of [{ provider, model: 'claude-*' }, { provider, ...fast }, { model: 'scripted' }]) {
    const answer = await api.admin.post('/admin/prices', { ...PRICE, ...price });
    expect(answer.status).toBe(201);
  }
});

async function ledgerOf({ account }: AnthropicCaller): Promise<CostDto[]> {
  return api.admin.items<CostDto>(`/admin/costs?user_id=${account.user.id}&size=100`);
}

/** The only row of the user, once it is written. */
async function rowOf(caller: AnthropicCaller): Promise<CostDto> {
  return eventually(async () => (await ledgerOf(caller))[0]);
}

describe('the ledger of relayed requests', () => {
  it.each([false, true])('has the price of each cache lifetime and of searches (streamed: %j)', async (stream) => {
    const caller = await api.newCaller();
    const usage = CACHED_USAGE;
    api.upstream.acts.push(stream ? events(messageEvents({ usage })) : json(message({ usage })));
    const answer = await caller.message(ask('x', { stream }));
    expect(answer.status).toBe(200);
    if (!stream) {
      expect(answer.headers.get('x-cost')).toBe(CACHED_COST);
    }
    const rows = await ledgerOf(caller);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      kind: 'reply',
      provider: api.provider,
      model: 'claude-test',
      prompt_tokens: 1_600,
      cached_tokens: 1_000,
      cache_write_tokens: 500,
      cache_write_1h_tokens: 300,
      completion_tokens: 50,
      web_searches: 2,
      cost: CACHED_COST,
      is_estimated: false,
      chat_id: null,
    });
    expect(rows[0]?.api_key).not.toBeNull();
  });

  it('names another tariff as another model, and a tier without its price has the base price', async () => {
    const caller = await api.newCaller();
    const usage = { input_tokens: 1_000, output_tokens: 100 };
    for (const facts of [{ speed: 'fast' }, { service_tier: 'priority' }, { inference_geo: 'us' }]) {
      api.upstream.acts.push(json(message({ usage: { ...usage, ...facts } })));
      expect((await caller.message(ask())).status).toBe(200);
    }
    const rows = (await ledgerOf(caller)).map(({ model, cost }) => [model, cost]);
    expect(rows.sort()).toEqual([
      ['claude-test@fast', '0.012'],
      ['claude-test@geo-us', null],
      ['claude-test@priority', '0.002'],
    ]);
  });

  it('has no cost for a request that the provider refused', async () => {
    const caller = await api.newCaller();
    api.upstream.acts.push(json({ type: 'error', error: { type: 'invalid_request_error', message: 'no' } }, 400));
    expect((await caller.message(ask())).status).toBe(400);
    expect(await rowOf(caller)).toMatchObject({ cost: '0', requests: 0 });
  });

  it('has the reported input and all output so far of a request that the client cut', async () => {
    const caller = await api.newCaller();
    const start = messageEvents({ usage: CACHED_USAGE }).split(/(?<=\n\n)/)[0] ?? '';
    const words = 'one two three four five six seven eight nine ten ';
    const deltas = [
      { type: 'thinking_delta', thinking: words },
      { type: 'text_delta', text: words },
      { type: 'input_json_delta', partial_json: `{"a":"${words}"}` },
    ];
    let cut: Promise<unknown> = Promise.resolve();
    api.upstream.acts.push((response) => {
      head(response);
      cut = once(response, 'close');
      const block = { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'f' } };
      response.write(
        start + event(block) + deltas.map((delta) => event({ type: 'content_block_delta', index: 0, delta })).join(''),
      );
    });
    const leaving = new AbortController();
    let received = '';
    for await (const part of textOf(await caller.stream(ask(), leaving.signal))) {
      received += part;
      if (received.includes('partial_json')) {
        break;
      }
    }
    leaving.abort();
    await cut;
    const row = await rowOf(caller);
    expect(row).toMatchObject({ prompt_tokens: 1_600, cache_write_1h_tokens: 300, is_estimated: true });
    expect(row.completion_tokens).toBeGreaterThan(30);
    expect(row.completion_tokens).toBeLessThan(60);
  });
});

describe('a message of a relayed request', () => {
  it('counts for the quota, unless it only continues a turn with results of tools', async () => {
    const caller = await api.newCaller();
    const left = async (body: object): Promise<number> =>
      Number((await caller.message(body)).headers.get('x-quota-messages-remaining'));
    const first = await left(ask());
    const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' };
    const turns = (last: object[]): object =>
      ask('x', {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: [call] },
          { role: 'user', content: last },
        ],
      });
    expect(await left(turns([result, { type: 'text', text: 'And now?' }]))).toBe(first);
    expect(await left(turns([result, { type: 'image', source: { type: 'url', url: 'https://a.test/' } }]))).toBe(
      first - 1,
    );
    expect(await left(ask('x', { messages: [{ role: 'user', content: [result] }] }))).toBe(first - 2);
  });
});

describe('a hard budget', () => {
  it('lowers the limit of a reply to what fits, and reports it', async () => {
    const caller = await api.newCaller();
    await makeBudget(api.admin, { scope: 'user', scope_id: caller.account.user.id, limit: '0.1', mode: 'hard' });
    const body = `{"model":"claude-test", "max_tokens":64000,"messages":[{"role":"user","content":"a"}]}`;
    const answer = await caller.message(body);
    expect(answer.status).toBe(200);
    const lowered = Number(answer.headers.get('x-max-tokens'));
    expect(lowered).toBeGreaterThan(9_000);
    expect(lowered).toBeLessThan(10_000);
    expect(api.upstream.last.bytes.toString()).toBe(body.replace('64000', String(lowered)));
    expect(answer.headers.get('anthropic-ratelimit-unified-status')).toBe('allowed');
    expect(answer.headers.get('anthropic-ratelimit-unified-overage-utilization')).toBe('0.00');
    expect(Number(answer.headers.get('anthropic-ratelimit-unified-reset'))).toBeGreaterThan(Date.now() / 1_000);
    expect((await caller.message(ask())).headers.get('x-max-tokens')).toBeNull();
    // The limit stays above the tokens for thinking.
    const thinking = { type: 'enabled', budget_tokens: 20_000 };
    expect((await caller.message(ask('x', { max_tokens: 64_000, thinking }))).status).toBe(429);
  });

  it.each(['an Anthropic provider', 'another provider'])('lowers it for an agent of %s too', async (kind) => {
    const isOwnKind = kind === 'an Anthropic provider';
    const caller = await api.newCaller();
    await makeBudget(api.admin, { scope: 'user', scope_id: caller.account.user.id, limit: '0.1', mode: 'hard' });
    const models = isOwnKind ? { provider: api.provider, model: 'claude-test' } : { model: 'scripted' };
    const name = newcomer().username;
    expect((await api.admin.post('/agents', { name, system_prompt: 'Be brief.', ...models })).status).toBe(201);
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Hello.' }] });
    const answer = await caller.message(ask(key, { model: name, max_tokens: 64_000 }));
    expect(answer.status).toBe(200);
    const lowered = Number(answer.headers.get('x-max-tokens'));
    expect(lowered).toBeGreaterThan(9_000);
    expect(lowered).toBeLessThan(10_000);
    const sent = isOwnKind
      ? (JSON.parse(api.upstream.last.bytes.toString()) as object)
      : (await app.model.requests(key))[0]?.body;
    expect(sent).toMatchObject({ max_tokens: lowered });
    const small = await caller.message(ask(key, { model: name }));
    expect([small.status, small.headers.get('x-max-tokens')]).toEqual([200, null]);
  });

  it('refuses a request whose smallest limit does not fit, and says until when', async () => {
    const caller = await api.newCaller();
    await makeBudget(api.admin, { scope: 'user', scope_id: caller.account.user.id, limit: '0.03', mode: 'hard' });
    const answer = await caller.message<AnthropicError>(ask('x', { max_tokens: 64_000 }));
    expect([answer.status, answer.body.error.type]).toEqual([429, 'billing_error']);
    expect(answer.body.error.details).toMatchObject({ error_code: 'budget_exceeded', scope: 'user' });
    const { headers } = answer;
    expect(headers.get('x-should-retry')).toBe('false');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const unified = (name: string): string | null => headers.get(`anthropic-ratelimit-unified-${name}`);
    expect([unified('status'), unified('overage-status')]).toEqual(['rejected', 'rejected']);
    expect([unified('overage-utilization'), unified('overage-surpassed-threshold')]).toEqual(['1', '1']);
    expect([unified('overage-period'), unified('overage-disabled-reason')]).toEqual([
      'monthly',
      'org_spend_cap_reached',
    ]);
    expect(unified('overage-scope')).toBeNull();
    expect((await caller.message(ask('x', { max_tokens: 2_000 }))).status).toBe(200);
    expect(api.upstream.requests).toHaveLength(1);
  });

  it('holds the cost of web searches, and refuses tariffs without a price', async () => {
    const caller = await api.newCaller();
    await makeBudget(api.admin, { scope: 'user', scope_id: caller.account.user.id, limit: '0.05', mode: 'hard' });
    const search = (uses?: number): object => ({ type: 'web_search_20250305', name: 'web_search', max_uses: uses });
    expect((await caller.message(ask('x', { tools: [search()] }))).status).toBe(429);
    expect((await caller.message(JSON.stringify(ask('x', { tools: [search(7)] })).replace('7', '1e999'))).status).toBe(
      429,
    );
    expect((await caller.message(ask('x', { tools: [search(2)] }))).status).toBe(200);
    const answer = await caller.message<AnthropicError>(ask('x', { inference_geo: 'us' }));
    expect([answer.status, answer.body.error.details.error_code]).toEqual([429, 'model_not_priced']);
  });

  it('refuses features with costs that no usage reports, even if they are enabled', async () => {
    const caller = await api.newCaller();
    const found = (await api.admin.items<{ id: number; name: string }>('/admin/providers?size=100')).find(
      ({ name }) => name === api.provider,
    );
    const path = `/admin/providers/${found?.id}`;
    const features = { anthropic_features: ['container', 'files'] };
    expect((await api.admin.put(path, features)).status).toBe(200);
    const container = ask('x', { container: 'c' });
    expect((await caller.message(container)).status).toBe(200);
    const file = { type: 'document', source: { type: 'file', file_id: 'f' } };
    expect((await caller.message(ask('x', { messages: [{ role: 'user', content: [file] }] }))).status).toBe(200);
    await makeBudget(api.admin, { scope: 'user', scope_id: caller.account.user.id, limit: '5', mode: 'hard' });
    expect((await caller.message<AnthropicError>(container)).body.error.details.field).toBe('container');
    expect((await api.admin.put(path, { anthropic_features: null })).status).toBe(200);
  });
});
