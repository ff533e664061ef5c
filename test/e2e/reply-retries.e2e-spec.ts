// @databases mariadb: locks and deadlocks
import { ResilienceSettings } from '../../src/integrations/llm/providers/resilience';
import { ReplyTiming } from '../../src/modules/generation/reading/reply-streams';
import { newcomer } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { ReplyStream } from '../support/chat-stream';
import { chunksOf, joined } from '../support/completion-stream';
import type { ModelScript } from '../support/model-server/model-server';
import { useAdmin, useClient, useOwnChatApp } from '../support/use-app';
import { createProvider } from './provider-requests';

/** The first refusal comes before the head of a stream is due, and the last one after it. */
const HEAD = 1_500;
const PAUSE = 1_000;

/** A loaded machine needs seconds for the first refusals of many concurrent requests. */
const CONCURRENTLY = 5;

const REFUSALS: [string, ModelScript, number, string][] = [
  ['a rate limit', { status: 429, body: '{"error":{"message":"slow down"}}' }, 503, 'PROVIDER_UNAVAILABLE'],
  ['a fault of its own', { status: 500, body: '{"error":{"message":"oh"}}' }, 502, 'PROVIDER_ERROR'],
  ['a closed connection', { cut: true }, 503, 'PROVIDER_UNAVAILABLE'],
];

describe('a provider that refuses', () => {
  const app = useOwnChatApp();
  const admin = useAdmin(app);
  const client = useClient(app);
  let agent: { id: number; name: string };
  let fallback: { id: number; name: string };
  let second: string;

  beforeAll(async () => {
    const make = async (body: object) =>
      (
        await admin.post<{ id: number; name: string }>('/agents', {
          name: newcomer().username,
          status: 'active',
          ...body,
        })
      ).body.data;
    second = (await createProvider(app, admin)).name;
    agent = await make({});
    fallback = await make({ fallback_models: [`${second}:another`] });
  });

  beforeEach(() => {
    takeTime();
    pauseFor(1);
  });

  function takeTime(factor = 1): void {
    Object.assign(app.app.get(ReplyTiming), { head: factor * HEAD, refused: 60_000 });
  }

  function pauseFor(milliseconds: number): void {
    const retryDelays = [milliseconds, milliseconds];
    Object.assign(app.app.get(ResilienceSettings), { retryDelays, retryJitter: 0 });
  }

  const DIALECTS = ['text', 'sse', 'ui_message', 'completion', 'response', 'regenerated'] as const;
  type Dialect = (typeof DIALECTS)[number];

  /** With a separate user, because a user has few concurrent replies. */
  async function ask(
    dialect: Dialect,
    content: string,
    scripts: ModelScript[],
    { id, name } = agent,
  ): Promise<ReplyStream> {
    const client = await app.newClient();
    const lost = { times: name === fallback.name ? 2 : 1, status: 401 };
    const answers = dialect === 'regenerated' ? [lost, ...scripts] : scripts;
    for (const script of answers) {
      await app.model.script({ key: content, ...script });
    }
    const options = { token: client.token };
    const door = `${app.origin}/openai/v1`;
    switch (dialect) {
      case 'completion': {
        const body = { model: name, stream: true, messages: [{ role: 'user', content }] };
        return ReplyStream.open(`${door}/chat/completions`, { ...options, body });
      }
      case 'response':
        return ReplyStream.open(`${door}/responses`, {
          ...options,
          body: { model: name, stream: true, input: content },
        });
      case 'regenerated': {
        const chat = await client.createChat({ agent_id: id });
        await client.send(chat.id, content);
        const [question] = (await client.read(chat.id)).messages;
        const path = `/chat/${chat.id}/messages/${question?.id}/regenerate?stream=true`;
        return ReplyStream.open(`${app.url}${path}`, { ...options, body: {} });
      }
      default: {
        const chat = await client.createChat({ agent_id: id });
        return client.stream(chat.id, content, { query: `stream_format=${dialect}` });
      }
    }
  }

  /** Status, and the code in the form of the dialect; a UI stream has only a message. */
  async function failureOf(dialect: Dialect, stream: ReplyStream): Promise<[number, string | null]> {
    const text = await stream.rest();
    return [
      stream.status,
      dialect === 'ui_message' ? null : (JSON.parse(text) as { error: { code: string } }).error.code,
    ];
  }

  describe('returns its status before the first token, in every dialect, even for streams', () => {
    const inAllDialects = (scripts: ModelScript[], wanted?: { id: number; name: string }) =>
      Promise.all(
        DIALECTS.map(async (dialect) => {
          const answer = await ask(dialect, uniqueContent(), scripts, wanted);
          return [dialect, ...(await failureOf(dialect, answer))];
        }),
      );

    const each = (status: number, code: string) =>
      DIALECTS.map((dialect) => [dialect, status, dialect === 'ui_message' ? null : code]);

    // Each takes two pauses, so the requests are concurrent.
    let refused: Map<string, PromiseSettledResult<unknown>>;

    beforeAll(async () => {
      takeTime(CONCURRENTLY);
      pauseFor(CONCURRENTLY * PAUSE);
      const asked = await Promise.allSettled(REFUSALS.map(([, script]) => inAllDialects([script])));
      refused = new Map(REFUSALS.map(([what], index) => [what, asked[index]!]));
    });

    it.each(REFUSALS)('%s', (what, _script, status, code) => {
      expect(refused.get(what)).toEqual({ status: 'fulfilled', value: each(status, code) });
    });

    it('for the first model, when the fallback model fails too', async () => {
      takeTime(CONCURRENTLY);
      pauseFor((CONCURRENTLY * PAUSE) / 2);
      const scripts = [
        { times: 3, status: 429, body: '{}' },
        { status: 500, body: '{}' },
      ];
      expect(await inAllDialects(scripts, fallback)).toEqual(each(503, 'PROVIDER_UNAVAILABLE'));
    });
  });

  it('with a Retry-After delays the headers that long, and passes it on', async () => {
    const content = uniqueContent();
    const answer = await ask('text', content, [
      { times: 2, status: 429, headers: { 'retry-after': '1' }, body: '{}' },
      { status: 429, headers: { 'retry-after': '60' }, body: '{}' },
    ]);
    expect([answer.status, answer.header('retry-after')]).toEqual([503, '60']);
    expect(await app.model.requests(content)).toHaveLength(3);
  });

  it.each(DIALECTS)('and then answers is an ordinary stream: %s', async (dialect) => {
    const content = uniqueContent();
    const answer = await ask(dialect, content, [
      { times: 2, status: 500, body: '{}' },
      { steps: [{ text: 'At last.' }] },
    ]);
    expect(answer.status).toBe(200);
    expect(await answer.rest()).toContain('At last.');
  });

  it('is followed by a fallback model', async () => {
    const content = uniqueContent();
    const scripts = [{ times: 3, status: 500, body: '{}' }, { steps: [{ text: 'Instead.' }] }];
    const answer = await ask('completion', content, scripts, fallback);
    expect(joined(chunksOf(await answer.rest()).chunks).content).toBe('Instead.');
  });

  it.each(DIALECTS)('and is silent on the retry has its head sent like any silent model: %s', async (dialect) => {
    Object.assign(app.app.get(ReplyTiming), { head: 200, refused: 600_000 });
    const content = uniqueContent();
    const answer = await ask(dialect, content, [
      { times: 1, status: 500, body: '{}' },
      { steps: [{ hold: content }, { text: 'At last.' }] },
    ]);
    expect(answer.status).toBe(200);
    await app.model.release(content);
    expect(await answer.rest()).toContain('At last.');
  });

  it('keeps its status if a summary was requested', async () => {
    pauseFor(PAUSE);
    const { token } = await app.newClient();
    const content = uniqueContent();
    await app.model.script({ key: content, status: 500, body: '{}' });
    const input = [{ role: 'user', content }, { type: 'compaction_trigger' }];
    const body = { model: agent.name, stream: true, input };
    const answer = await ReplyStream.open(`${app.origin}/openai/v1/responses`, { token, body });
    expect(await failureOf('response', answer)).toEqual([502, 'PROVIDER_ERROR']);
  });

  it('makes readers wait who join during the retries', async () => {
    pauseFor(PAUSE);
    const content = uniqueContent();
    await app.model.script({ key: content, status: 500, body: '{}' });
    const chat = await client.createChat({ agent_id: agent.id });
    const sent = client.stream(chat.id, content, { query: 'stream=true' });
    await app.model.waitFor('completed', { key: content });
    const joining = await Promise.all(
      ['stream_format=text', 'stream_format=sse'].map((query) => client.join(chat.id, query)),
    );
    expect([(await sent).status, ...joining.map(({ status }) => status)]).toEqual([502, 502, 502]);
  });

  it('makes no reader wait forever', async () => {
    Object.assign(app.app.get(ReplyTiming), { head: 1, refused: 20 });
    pauseFor(PAUSE);
    const content = uniqueContent();
    const answer = await ask('text', content, [{ status: 500, body: '{}' }]);
    expect(answer.status).toBe(200);
    expect((await answer.plain()).trailer).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_ERROR' } });
  });

  it('is unlike a silent one, for which the head is sent as usual', async () => {
    Object.assign(app.app.get(ReplyTiming), { head: 20, refused: 600_000 });
    const content = uniqueContent();
    const answer = await ask('sse', content, [{ steps: [{ hold: content }, { text: 'Hm.' }] }]);
    expect(answer.status).toBe(200);
    await app.model.release(content);
    expect(await answer.rest()).toContain('Hm.');
  });
});
