import { BodyMemory } from '../../src/common/http/body/body-memory';
import { registerUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { type Answer, call, expectFailure } from '../support/http';
import { expectOpenAiFailure } from '../support/openai-failure';
import { UnfinishedBody } from '../support/unfinished-body';
import { useChatApp } from '../support/use-app';

const MB = 1_048_576;

describe('bodies that never end', () => {
  const app = useChatApp({ BODY_MEMORY_MB: '64' });
  const begun: UnfinishedBody[] = [];
  let memory: BodyMemory;

  beforeAll(() => {
    memory = app.app.get(BodyMemory);
  });

  afterEach(async () => {
    begun.splice(0).forEach((body) => body.end());
    await eventually(() => memory.held === 0);
  });

  const path = '/openai/v1/responses';
  const FILE = '{"model":"none","input":[{"role":"user","content":[{"type":"input_file","file_data":"';
  const newUser = async () => (await registerUser(app)).token;
  const begin = async (token: string | null, length: number | null) => {
    const body = await UnfinishedBody.begin(`${app.origin}${path}`, token, length);
    begun.push(body);
    return body;
  };
  /** Sends this number of bytes, most of which are the content of a file, and waits until the service has them. */
  const hold = async (token: string, bytes: number, length: number | null = 28 * MB) => {
    const expected = memory.held + bytes;
    const body = await begin(token, length);
    const part = FILE.padEnd(bytes, 'A');
    await (length === null ? body.writeChunk(part) : body.write(part));
    await eventually(() => memory.held === expected);
    return body;
  };
  const post = (token: string, bytes: number): Promise<Answer> =>
    call(`${app.origin}${path}`, { token, raw: `${FILE.padEnd(bytes, 'A')}"}]}]}`, headers: JSON_TYPE });
  const expectWait = ({ headers }: Answer) => expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);

  it('have two slots for each user, and release them', async () => {
    const token = await newUser();
    const first = await hold(token, 1_000);
    await hold(token, 1_000);
    const refused = await post(token, 2 * MB);
    expectOpenAiFailure(refused, 429, 'TOO_MANY_CONCURRENT');
    expectWait(refused);
    expectOpenAiFailure(await post(token, MB / 2), 404, 'model_not_found', 'model');
    expectOpenAiFailure(await post(await newUser(), 2 * MB), 404, 'model_not_found', 'model');
    first.end();
    await eventually(async () => (await post(token, 2 * MB)).status === 404);
  });

  it('use a slot when they grow beyond 1 MiB without a declared length', async () => {
    const token = await newUser();
    const bodies = [await hold(token, MB, null), await hold(token, MB, null), await hold(token, MB, null)];
    for (const body of bodies) {
      const { held } = memory;
      await body.writeChunk('A');
      await eventually(() => memory.held !== held);
    }
    await bodies[2]?.closed();
    expect(bodies.map(({ answer }) => answer.slice(0, 12))).toEqual(['', '', 'HTTP/1.1 429']);
    expect(memory.held).toBe(2 * MB + 2);
  });

  it('use no more memory together than allowed, and leave space for small ones', async () => {
    const others = await Promise.all([newUser(), newUser()]);
    const first = await hold(others[0], 27 * MB);
    const second = await hold(others[1], 26 * MB);
    const token = await newUser();
    const refused = await post(token, 4 * MB);
    expectOpenAiFailure(refused, 503, 'SERVICE_OVERLOADED');
    expectWait(refused);
    const title = 'Small bodies get through';
    expect((await call(`${app.url}/chat`, { token, body: { title } })).status).toBe(201);
    // Data beyond the limit ends its own body, and frees that body's memory.
    const third = await hold(token, 2 * MB, 3 * MB);
    await second.write('A'.repeat(2 * MB));
    await second.closed();
    expect(second.answer).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: \d+[^]*"code":"SERVICE_OVERLOADED"/i);
    await eventually(() => memory.held === 29 * MB);
    expectOpenAiFailure(await post(token, 4 * MB), 404, 'model_not_found', 'model');
    [first, third].forEach((body) => body.end());
  });

  it('are not requested before the caller is known', async () => {
    for (const target of [path, '/openai/v1/chat/completions', '/openai/v1/conversations', '/api/v1/agents/import']) {
      const body = await UnfinishedBody.begin(`${app.origin}${target}`, null, 10 * MB);
      begun.push(body);
      await body.write(FILE);
      await body.closed();
      expect([target, body.answer.slice(0, 12)]).toEqual([target, 'HTTP/1.1 401']);
    }
    expect(memory.held).toBe(0);
  });

  it('are finished when the reply starts, so that its duration does not count', async () => {
    const { token } = await app.newClient({ userType: 'admin' });
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ hold: key }, { text: 'Hi' }] });
    const long = { role: 'assistant', content: 'x'.repeat(900_000) };
    const messages = [{ role: 'user', content: 'a' }, long, long, { role: 'user', content: key }];
    const body = { model: 'General assistant', messages };
    const running = Array.from({ length: 3 }, async (_reply, before) => {
      await app.model.waitFor('received', { key, count: before });
      return call(`${app.origin}/openai/v1/chat/completions`, { token, body });
    });
    await app.model.waitFor('received', { key, count: 3 });
    expect(memory.held).toBe(0);
    await app.model.release(key);
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('are counted until they are answered in any way', async () => {
    const token = await newUser();
    expectOpenAiFailure(await post(token, 2 * MB), 404, 'model_not_found', 'model');
    const broken = await call(`${app.url}/chat`, { token, raw: '{', headers: JSON_TYPE });
    expectFailure(broken, 400, 'INVALID_JSON');
    const cut = await hold(token, MB);
    cut.end();
    await eventually(() => memory.held === 0);
    const client = await app.newClient();
    const chat = await client.createChat();
    expect((await client.send(chat.id, 'x'.repeat(30_000))).status).toBe(200);
    await eventually(() => memory.held === 0);
  });
});

const JSON_TYPE = { 'content-type': 'application/json' };
