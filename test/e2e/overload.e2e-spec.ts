import { LoadGate } from '../../src/common/load/load-gate';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { call, expectFailure, sendRaw } from '../support/http';
import { useOwnChatApp } from '../support/use-app';

describe('an overloaded service', () => {
  const app = useOwnChatApp({ CORS_ORIGINS: 'https://chat.example.com' });
  let client: ChatClient;

  beforeAll(async () => {
    client = await app.newClient();
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const overload = () => void jest.spyOn(app.app.get(LoadGate), 'takes').mockReturnValue(false);

  it('refuses a request with a Retry-After', async () => {
    overload();
    const answer = await call(`${app.url}/chat`, { headers: { 'x-request-id': 'mine', 'accept-language': 'de' } });
    const error = expectFailure(answer, 503, 'SERVICE_OVERLOADED');
    expect(error.retry_after).toBeGreaterThanOrEqual(1);
    expect(answer.headers.get('retry-after')).toBe(String(error.retry_after));
    expect(error.message).toMatch(/[Bb]itte/);
    expect(answer.headers.get('x-request-id')).toBe('mine');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('refuses it in the form of the called API', async () => {
    overload();
    const { status, body } = await call<{ error: { code: string; type: string } }>(`${app.origin}/openai/v1/models`);
    expect([status, body.error.code]).toEqual([503, 'SERVICE_OVERLOADED']);
    expect(body).not.toHaveProperty('success');
  });

  it("lets the operator's frontends read the refusal", async () => {
    overload();
    const origin = 'https://chat.example.com';
    const { headers } = await call(`${app.url}/chat`, { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
    const foreign = await call(`${app.url}/chat`, { headers: { origin: 'https://elsewhere.example.com' } });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    expect((await call(`${app.url}/chat`, { method: 'OPTIONS', headers: { origin } })).status).not.toBe(503);
  });

  it('keeps the connection open, and answers in the language of the caller', async () => {
    overload();
    const head = (language: string, more = '') =>
      `/api/v1/chat HTTP/1.1\r\nHost: x\r\nAccept-Language: ${language}\r\n${more}\r\n`;
    const requests = `HEAD ${head('zh')}GET ${head('zh')}GET ${head('de', 'Connection: close\r\n')}`;
    const answers = await sendRaw(app.origin, requests);
    const [nothing, bodyless, kept, last, ...others] = answers.split('HTTP/1.1 503 Service Unavailable\r\n');
    expect([nothing, others]).toEqual(['', []]);
    expect(bodyless).toMatch(/\r\n\r\n$/);
    expect(kept).toMatch(/^Keep-Alive: timeout=65\r$/im);
    expect(last).toMatch(/^Connection: close\r$/im);
    for (const [answer, words] of [
      [kept, /\p{Script=Han}/u],
      [last, /[Bb]itte/],
    ] as const) {
      const [headers = '', body = ''] = answer!.split('\r\n\r\n');
      expect(Buffer.byteLength(body)).toBe(Number(/^Content-Length: (\d+)\r$/im.exec(headers)?.[1]));
      expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: 'SERVICE_OVERLOADED' } });
      expect(body).toMatch(words);
    }
  });

  it('refuses it before its body is read', async () => {
    overload();
    const head = [
      'POST /api/v1/chat/message HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      'Content-Length: 1000000',
    ];
    const answer = await sendRaw(app.origin, `${head.join('\r\n')}\r\n\r\n{`);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/^Connection: close\r$/im);
    expect(answer).toContain('SERVICE_OVERLOADED');
  });

  it('answers probes and metrics, continues replies, and stops them on request', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'you' }] });
    const [chat, other] = [await client.createChat(), await client.createChat()];
    const stream = await client.stream(chat.id, content);
    await stream.until('Hello ');
    const stopped = uniqueContent();
    await app.model.script({ key: stopped, steps: [{ text: 'Hello ' }, { stall: true }] });
    const stopping = await client.stream(other.id, stopped);
    await stopping.until('Hello ');
    overload();
    for (const path of ['/health', '/health/live', '/health/ready', '/metrics']) {
      expect((await call(`${app.origin}${path}`)).status).toBe(200);
    }
    expect((await client.stop(other.id)).status).toBe(200);
    await app.model.release(content);
    expect((await stream.plain()).text).toBe('Hello you');
    expectFailure(await client.request('/chat'), 503, 'SERVICE_OVERLOADED');
  });
});
