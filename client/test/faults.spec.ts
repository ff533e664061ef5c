import { createHmac } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createChatClient, type ReplyEvent, verifyWebhook, WebhookVerificationError } from '../../client/src/index';
import { eventually } from '../../test/support/eventually';

/** Covers responses that are not from the service, and events that coincide. */
describe('the client', () => {
  let server: Server;
  let baseUrl: string;
  let answer: RequestListener;
  let requests: string[];

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(() => (requests = []));

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const always =
    (status: number, headers: Record<string, string> = {}): RequestListener =>
    (_request, response) =>
      void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>No</h1>');

  async function send(signal?: AbortSignal, onConnection?: () => void): Promise<ReplyEvent[]> {
    const client = createChatClient({ baseUrl, accessToken: 'ck_1' });
    const events: ReplyEvent[] = [];
    for await (const event of client.send({ chat_id: 1, content: 'Hello' }, { signal, onConnection })) {
      events.push(event);
    }
    return events;
  }

  it.each([404, 405, 413])('does not retry when a proxy refuses with %i', async (status) => {
    answer = always(status);
    await expect(send()).rejects.toMatchObject({ name: 'ApiError', status });
    expect(requests).toEqual(['POST /api/v1/chat/message']);
  });

  it('leaves a Retry-After of an hour to the caller', async () => {
    answer = always(503, { 'retry-after': '3600' });
    await expect(send()).rejects.toMatchObject({ status: 503, retryAfter: 3_600 });
    expect(requests).toHaveLength(1);
  });

  it('stops at once when the caller aborts in the callback about the lost connection', async () => {
    answer = always(503, { 'retry-after': '60' });
    const leaving = new AbortController();
    await expect(send(leaving.signal, () => leaving.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(requests).toHaveLength(1);
  });

  it.each(['cookie', 'storage'] as const)('can be created outside of a browser with a session in %s', (session) => {
    // An open channel would keep the process alive.
    const channel = jest.spyOn(globalThis, 'BroadcastChannel');
    expect(createChatClient({ baseUrl, session }).session.state).toBe('unknown');
    expect(channel).not.toHaveBeenCalled();
  });

  it.each(['v1,_', 'v1,a', 'v1,', 'v2,AAAA', ''])(
    'refuses the signature “%s” like any wrong one',
    async (signature) => {
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': signature,
      };
      const refusal = verifyWebhook('whsec_c2VjcmV0', headers, '{}');
      await expect(refusal).rejects.toBeInstanceOf(WebhookVerificationError);
      const signed = `msg_1.${headers['webhook-timestamp']}.{}`;
      const right = createHmac('sha256', 'secret').update(signed).digest('base64');
      headers['webhook-signature'] = `${signature} v1,${right}`.trim();
      expect(await verifyWebhook('whsec_c2VjcmV0', headers, '{}')).toEqual({});
    },
  );

  describe('during a token renewal', () => {
    let renew: (() => void) | undefined;

    beforeEach(() => {
      renew = undefined;
      answer = (request, response) => {
        const say = (status: number, body: object): void =>
          void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        const pair = (name: string): object => ({ access_token: name, refresh_token: name, expires_in: 3_600 });
        if (request.url?.endsWith('/refresh_token')) {
          renew = () => say(200, pair('ada again'));
        } else if (request.url?.endsWith('/login')) {
          say(200, pair(requests.length === 1 ? 'ada' : 'bob'));
        } else if (request.url?.endsWith('/logout')) {
          say(200, {});
        } else if (request.headers.authorization === 'Bearer ada') {
          say(401, { error: { code: 'TOKEN_EXPIRED', message: 'Expired.', details: {} } });
        } else {
          say(200, { username: request.headers.authorization });
        }
      };
    });

    async function whileRenewing(act: (client: ReturnType<typeof createChatClient>) => Promise<unknown>) {
      const client = createChatClient({ baseUrl });
      await client.session.logIn({ email: 'ada@example.com', password: 'correct horse' });
      const asked = client.auth.me().catch((error: unknown) => error);
      await eventually(() => Promise.resolve(renew !== undefined));
      await act(client);
      renew?.();
      return { client, outcome: await asked };
    }

    it('has no session after a logout', async () => {
      const { client, outcome } = await whileRenewing((one) => one.session.logOut());
      expect(outcome).toMatchObject({ code: 'TOKEN_EXPIRED' });
      expect(client.session.state).toBe('signed-out');
    });

    it('uses the session of a new login, but not for earlier requests', async () => {
      const credentials = { email: 'bob@example.com', password: 'correct horse' };
      const { client, outcome } = await whileRenewing((one) => one.session.logIn(credentials));
      expect(outcome).toMatchObject({ code: 'TOKEN_EXPIRED' });
      expect(await client.auth.me()).toMatchObject({ username: 'Bearer bob' });
    });
  });
});
