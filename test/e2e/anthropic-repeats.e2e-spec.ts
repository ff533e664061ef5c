// @databases mariadb mysql: bytes in a column, and a unique key that decides
import { Database } from '../../src/database/database';
import { AnthropicAnswerEntity } from '../../src/modules/anthropic/repeating/answer.entity';
import { type AnthropicCaller, type AnthropicError, ask, useAnthropicApi } from '../support/anthropic-api';
import { events, head, json, messageEvents } from '../support/anthropic-upstream';
import type { Answer } from '../support/http';
import { made, useOwnChatApp } from '../support/use-app';

const app = useOwnChatApp({ CONCURRENT_NORMAL: '50', RATE_LIMIT_NORMAL: '10000' });
const api = useAnthropicApi(app);
const caller = made<AnthropicCaller>(beforeEach, () => api.newCaller());

const send = (body: object | string = ask(), key = 'my-key'): Promise<Answer<AnthropicError>> =>
  caller.message(body, { 'idempotency-key': key });

describe('a request with an idempotency key', () => {
  it.each([false, true])('is served once, and a repetition gets the same bytes (streamed: %j)', async (stream) => {
    if (stream) {
      api.upstream.acts.push(events(messageEvents({ text: 'é' })));
    }
    const first = await send(ask('x', { stream }));
    const again = await send(ask('x', { stream }));
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(again.headers.get('request-id')).toBe(first.headers.get('request-id'));
    expect(api.upstream.requests).toHaveLength(1);
    expect((await send(ask('x', { stream }), 'another')).status).toBe(200);
    expect(api.upstream.requests).toHaveLength(2);
  });

  it('conflicts with another body, even if it is only written differently', async () => {
    const body = JSON.stringify(ask());
    expect((await send(body)).status).toBe(200);
    const other = await send(` ${body}`);
    expect([other.status, other.body.error.type, other.headers.get('x-should-retry')]).toEqual([
      409,
      'conflict_error',
      'false',
    ]);
  });

  it('is waited for by a repetition', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    api.upstream.acts.push(async (response) => {
      await finished;
      json('{"type":"message","content":[],"usage":{"input_tokens":1,"output_tokens":1}}')(response);
    });
    const arrived = api.upstream.nextRequest();
    const both = [send(), send()];
    await arrived;
    finish();
    const [one, other] = await Promise.all(both);
    expect([one?.status, other?.status, other?.text]).toEqual([200, 200, one?.text]);
    expect(api.upstream.requests).toHaveLength(1);
  });

  it('is served again if it failed, or if its stream ended with an error', async () => {
    api.upstream.acts.push(json({}, 500));
    expect((await send()).status).toBe(502);
    api.upstream.acts.push((response) => {
      head(response);
      response.write(messageEvents({}).split(/(?<=\n\n)/)[0]);
      setImmediate(() => response.destroy());
    });
    expect((await send(ask('x', { stream: true }))).text).toContain('event: error');
    expect((await send(ask('x', { stream: true }))).text).toContain('message_stop');
    expect(api.upstream.requests).toHaveLength(3);
  });

  it('is served again if the instance died that served it', async () => {
    const database = app.app.get(Database);
    const now = new Date(Date.now() - 60_000);
    const row = { userId: caller.account.user.id, key: 'my-key', fingerprint: 'x', leasedUntil: now, createdAt: now };
    await database.write((manager) => manager.insert(AnthropicAnswerEntity, row));
    expect((await send()).status).toBe(200);
    expect(api.upstream.requests).toHaveLength(1);
  });
});
