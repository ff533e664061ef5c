// @databases mariadb: requests at the same time
import { randomUUID } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ConversationDto } from '../../src/modules/openai/conversations/conversation.dto';
import type { ItemListDto } from '../../src/modules/openai/conversations/item-list';
import { uniqueContent } from '../support/chat-client';
import { dereference } from '../support/dereference';
import { type Answer, call } from '../support/http';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

/** Each POST is processed once for each key, in any number of repeated and concurrent requests. */
describe('Idempotency-Key in the OpenAI-compatible API', () => {
  const app = useChatApp();
  const user = useClient(app);
  let client: ResponsesClient;
  let key: string;

  beforeEach(() => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
    key = randomUUID();
  });

  const post = <Body>(path: string, body: object | undefined, used = key): Promise<Answer<Body>> =>
    client.request<Body>(path, { method: 'POST', body, headers: { 'idempotency-key': used } });

  const made = async (body: object = {}): Promise<string> =>
    (await client.request<ConversationDto>('/conversations', { body })).body.id;

  const listed = (id: string) => client.items(`/conversations/${id}/items?order=asc&limit=100`);

  function expectConflict(answer: Answer): void {
    expectOpenAiFailure(answer, 409, 'IDEMPOTENCY_CONFLICT');
    expect(answer.headers.get('x-should-retry')).toBe('false');
  }

  /** The answers of ten concurrent requests, and of one more, are the same. */
  async function expectSame<Body>(path: string, body: object | undefined): Promise<Body> {
    const answers = await Promise.all(Array.from({ length: 10 }, () => post<Body>(path, body)));
    answers.push(await post<Body>(path, body));
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([200, answers[0]?.body]);
    }
    return answers[0]?.body as Body;
  }

  it('is accepted by every POST except a search, which stores nothing', async () => {
    const { paths } = dereference((await call<OpenAPIObject>(`${app.origin}/openapi.json`)).body);
    const posts = Object.entries(paths).filter(
      ([path, { post: operation }]) => path.startsWith('/openai/v1') && operation,
    );
    expect(posts.length).toBeGreaterThanOrEqual(6);
    const without = posts.filter(
      ([, { post: operation }]) =>
        !operation?.parameters?.some((parameter) => 'name' in parameter && parameter.name === 'Idempotency-Key'),
    );
    expect(without.map(([path]) => path)).toEqual(['/openai/v1/vector_stores/{vector_store_id}/search']);
  });

  it('adds items once', async () => {
    const id = await made();
    const items = [
      { role: 'user', content: 'One.' },
      { role: 'assistant', content: 'Two.' },
      { role: 'user', content: [{ type: 'input_file', filename: 'a.txt', file_data: 'YQ==' }] },
    ];
    const added = await expectSame<ItemListDto>(`/conversations/${id}/items`, { items });
    expect(added.data).toHaveLength(3);
    expect((await listed(id)).data.map((item) => item.id)).toEqual(added.data.map((item) => item.id));
    await post(`/conversations/${id}/items`, { items: [{ role: 'user', content: 'After.' }] }, randomUUID());
    expect((await post(`/conversations/${id}/items`, { items })).body).toEqual(added);
    expect((await listed(id)).data).toHaveLength(4);
    expectConflict(await post(`/conversations/${id}/items`, { items: items.slice(1) }));
    expectConflict(await post(`/conversations/${await made()}/items`, { items }));
    expectConflict(await post(`/conversations/${id}`, { metadata: {} }));
  });

  it('creates a conversation once, with its items and its metadata', async () => {
    const body = { items: [{ role: 'user', content: 'Hello.' }], metadata: { topic: 'travel' } };
    const conversation = await expectSame<ConversationDto>('/conversations', body);
    expect(conversation.metadata).toEqual({ topic: 'travel' });
    expect((await listed(conversation.id)).data).toHaveLength(1);
    expect((await user.request<unknown[]>('/chat')).body).toHaveLength(1);
    expectConflict(await post('/conversations', { ...body, metadata: { topic: 'work' } }));
    expectConflict(await post('/conversations', { metadata: body.metadata }));
    await client.request(`/conversations/${conversation.id}`, { method: 'DELETE' });
    expectOpenAiFailure(await post('/conversations', body), 404, 'CONVERSATION_NOT_FOUND', 'conversation_id');
  });

  it('changes metadata once: later changes stay', async () => {
    const path = `/conversations/${await made()}`;
    const first = await expectSame<ConversationDto>(path, { metadata: { topic: 'travel' } });
    await post(path, { metadata: { topic: 'work' } }, randomUUID());
    expect((await post(path, { metadata: { topic: 'travel' } })).body).toEqual(first);
    expect((await client.request<ConversationDto>(path)).body.metadata).toEqual({ topic: 'work' });
    expectConflict(await post(path, { metadata: { topic: 'food' } }));
  });

  it('cancels once, and only the response that it was used for', async () => {
    const ids: string[] = [];
    for (const input of [uniqueContent(), uniqueContent()]) {
      await app.model.script({ key: input, steps: [{ text: 'a' }, { stall: true }] });
      ids.push((await client.create({ input, background: true })).id);
      await app.model.waitFor('received', { key: input });
    }
    const cancelled = await expectSame<{ status: string }>(`/responses/${ids[0]}/cancel`, undefined);
    expect(cancelled.status).toBe('cancelled');
    expectConflict(await post(`/responses/${ids[1]}/cancel`, undefined));
    expectConflict(await post(`/responses/${ids[0]}/cancel`, { reason: 'another body' }));
    expect((await post<{ status: string }>(`/responses/${ids[1]}/cancel`, undefined, randomUUID())).body.status).toBe(
      'cancelled',
    );
  });

  it('calls the model once, for responses and completions', async () => {
    for (const [path, body] of [
      ['/responses', (input: string) => ({ model: client.model, input })],
      ['/chat/completions', (content: string) => ({ model: client.model, messages: [{ role: 'user', content }] })],
    ] as const) {
      key = randomUUID();
      const text = uniqueContent();
      const answers = await Promise.all(Array.from({ length: 5 }, () => post<{ id: string }>(path, body(text))));
      expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.id}`)).size).toBe(1);
      expect(await app.model.requests(text)).toHaveLength(1);
      expectConflict(await post(path, body(uniqueContent())));
    }
  });

  it('is 1 to 64 visible characters', async () => {
    const id = await made();
    const items = [{ role: 'user', content: 'x' }];
    for (const path of [`/conversations/${id}/items`, `/conversations/${id}`, '/responses/resp_1/cancel']) {
      const refused = await post(path, { items, metadata: {} }, 'x'.repeat(65));
      expectOpenAiFailure(refused, 400, 'invalid_value', 'Idempotency-Key');
    }
  });
});
