import { BodyMemory } from '../../src/common/http/body/body-memory';
import { registerUser } from '../support/accounts';
import { call, callRaw } from '../support/http';
import { useTestApp } from '../support/use-app';

const MB = 1_048_576;
const JSON_TYPE = { 'content-type': 'application/json' };
const COMPLETIONS = '/openai/v1/chat/completions';
const RESPONSES = '/openai/v1/responses';

describe('a refused body', () => {
  const app = useTestApp();
  let token: string;
  let taken: number;
  let parts: number;

  beforeAll(async () => {
    ({ token } = await registerUser(app));
  });

  beforeEach(() => {
    const memory = app.app.get(BodyMemory);
    const hold = memory.hold.bind(memory);
    taken = 0;
    parts = 0;
    jest.spyOn(memory, 'hold').mockImplementation((bytes) => {
      taken += Math.max(bytes, 0);
      parts += bytes > 0 ? 1 : 0;
      hold(bytes);
    });
  });

  const said = (content: unknown): string => JSON.stringify({ model: 'x', messages: [{ role: 'user', content }] });
  const send = (path: string, raw: string, method = 'POST') =>
    call(`${app.origin}${path}`, { token, method, raw, headers: JSON_TYPE });

  it.each<[string, string, () => string, number, number]>([
    ['one letter', COMPLETIONS, () => said('x'.repeat(27 * MB)), 400, 1.2],
    ['one letter as input', RESPONSES, () => JSON.stringify({ input: 'x'.repeat(27 * MB) }), 400, 1.2],
    ['one sign of three bytes', COMPLETIONS, () => said('日'.repeat(9 * MB)), 400, 3.1],
    ['escapes', COMPLETIONS, () => said('\u0001'.repeat(4.5 * MB)), 400, 6],
    ['an unknown member', RESPONSES, () => JSON.stringify({ x: 'x'.repeat(27 * MB) }), 400, 1.2],
    ['one name', RESPONSES, () => JSON.stringify({ ['x'.repeat(27 * MB)]: 1 }), 400, 1.2],
    ['one number', RESPONSES, () => `{"n":${'1'.repeat(27 * MB)}}`, 413, 8.2],
    ['blanks', RESPONSES, () => ' '.repeat(27 * MB), 413, 8.2],
    ['a text that starts like a file', COMPLETIONS, () => said(`data:,${'A'.repeat(27 * MB)}`), 400, 1.2],
    ['190,000 text parts', COMPLETIONS, () => said(Array(190_000).fill({ type: 'text', text: 'a' })), 400, 0.6],
    ['500,000 numbers', RESPONSES, () => JSON.stringify({ a: Array(500_000).fill(1) }), 400, 0.3],
    ['lists in lists', RESPONSES, () => '['.repeat(MB), 400, 0.2],
    ['members of one object', RESPONSES, () => `{${'"a":1,'.repeat(200_000)}"a":1}`, 400, 0.2],
    ['many texts', RESPONSES, () => JSON.stringify({ a: Array(20).fill('x'.repeat(MB * 0.9)) }), 413, 8.2],
    ['bytes that its route does not read', '/api/v1/chat', () => said('x'.repeat(2 * MB)), 413, 0],
    ['values that its route does not read', '/api/v1/chat/message', () => said(Array(400_000).fill(0)), 422, 0.2],
  ])('is read no further than the error: %s', async (_what, path, make, status, most) => {
    const answer = await send(path, make());
    expect(answer.status).toBe(status);
    expect(taken / MB).toBeLessThanOrEqual(most);
  });

  it('may arrive in many parts, but not in endless ones', async () => {
    const head = `POST ${RESPONSES} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
    const few = await callRaw(
      app.origin,
      `${chunked.replace('Host', 'Connection: close\r\nHost')}${'1\r\n \r\n'.repeat(9_000)}2\r\n{}\r\n0\r\n\r\n`,
    );
    expect(few.status).toBe(400);
    expect(parts).toBe(9_001);
    parts = 0;
    expect((await callRaw(app.origin, `${chunked}${'1\r\n \r\n'.repeat(60_000)}`)).status).toBe(413);
    expect(parts).toBeLessThan(10_100);
  });
});
