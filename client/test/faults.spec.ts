import { createHmac } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createChatClient, type ReplyEvent, verifyWebhook, WebhookVerificationError } from '../../client/src/index';
import { eventually } from '../../test/support/eventually';

/** What the client makes of answers that are not of the service, and of moments in which two things happen at once. */
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

  it.each([404, 405, 413])('does not send again what a proxy refuses with %i', async (status) => {
    answer = always(status);
    await expect(send()).rejects.toMatchObject({ name: 'ApiError', status });
    expect(requests).toEqual(['POST /api/v1/chat/message']);
  });

  it('leaves a wait of an hour to its caller', async () => {
    answer = always(503, { 'retry-after': '3600' });
    await expect(send()).rejects.toMatchObject({ status: 503, retryAfter: 3_600 });
    expect(requests).toHaveLength(1);
  });

  it('ends at once when its caller leaves on hearing that the connection is lost', async () => {
    answer = always(503, { 'retry-after': '60' });
    const leaving = new AbortController();
    await expect(send(leaving.signal, () => leaving.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(requests).toHaveLength(1);
  });

  it.each(['cookie', 'storage'] as const)('is made without a browser with a session of the kind %s', (session) => {
    // An open channel would keep a program from ending.
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

  describe('whose token is being renewed', () => {
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

    it('becomes nobody by a log-out', async () => {
      const { client, outcome } = await whileRenewing((one) => one.session.logOut());
      expect(outcome).toMatchObject({ code: 'TOKEN_EXPIRED' });
      expect(client.session.state).toBe('signed-out');
    });

    it('becomes who logs in, and does not act as them before', async () => {
      const credentials = { email: 'bob@example.com', password: 'correct horse' };
      const { client, outcome } = await whileRenewing((one) => one.session.logIn(credentials));
      expect(outcome).toMatchObject({ code: 'TOKEN_EXPIRED' });
      expect(await client.auth.me()).toMatchObject({ username: 'Bearer bob' });
    });
  });
});
