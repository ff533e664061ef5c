import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { INNER_HOSTS } from '../../../test/support/inner-hosts';
import { AllowedHosts } from '../../common/network/allowed-hosts';
import { NameResolver } from '../../common/network/name-resolver';
import type { OutboundResult } from './answer-reader';
import { OutboundHttpClient } from './outbound-http-client';
import { TargetGuard } from './target-guard';

/** Answers each DNS query with the next list of addresses; the last list repeats. */
class ChangingNames extends NameResolver {
  readonly answers: Record<string, string[][]> = {};

  resolvePublic(name: string): Promise<string[]> {
    const lists = this.answers[name] ?? [[]];
    return Promise.resolve((lists.length > 1 ? lists.shift() : lists[0]) ?? []);
  }

  resolveInner(name: string): Promise<string[]> {
    return this.resolvePublic(name);
  }
}

describe('OutboundHttpClient', () => {
  const names = new ChangingNames();
  const closing: (() => void)[] = [];
  const clients: OutboundHttpClient[] = [];

  afterEach(async () => {
    closing.splice(0).forEach((close) => close());
    await Promise.all(clients.splice(0).map((client) => client.onApplicationShutdown()));
  });

  function post(
    url: string,
    { allowed = ['127.0.0.1'], timeout = 60_000, signal = new AbortController().signal } = {},
  ): Promise<OutboundResult> {
    const guard = new TargetGuard({ isHttpsRequired: false, allowedHosts: new AllowedHosts(allowed) }, names);
    const client = new OutboundHttpClient(guard, timeout);
    clients.push(client);
    return client.post({ url: new URL(url), headers: { 'content-type': 'application/json' }, body: '{}', signal });
  }

  async function listen(server: Server | TcpServer): Promise<string> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      server.close();
      sockets.forEach((socket) => socket.destroy());
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  it('returns the status, Retry-After and the start of the body', async () => {
    const url = await listen(
      createServer((_request, response) => response.writeHead(503, { 'retry-after': '7' }).end('later\0')),
    );
    expect(await post(url)).toEqual({ answer: { status: 503, retryAfter: '7', body: 'later' } });
  });

  it('does not follow redirects', async () => {
    let followed = 0;
    const target = await listen(createServer((_request, response) => (followed++, response.end())));
    const url = await listen(createServer((_request, response) => response.writeHead(307, { location: target }).end()));
    expect(await post(url)).toEqual({ answer: { status: 307, retryAfter: null, body: '' } });
    expect(followed).toBe(0);
  });

  it('reads one kilobyte of an endless answer and closes the connection', async () => {
    let isCut: () => void;
    const cut = new Promise<void>((resolve) => (isCut = resolve));
    const url = await listen(
      createServer((_request, response) => {
        response.on('close', isCut);
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      }),
    );
    expect(await post(url)).toEqual({ answer: { status: 200, retryAfter: null, body: 'x'.repeat(1_024) } });
    await cut;
  });

  it('waits no longer than a second for a body that trickles', async () => {
    const url = await listen(
      createServer((_request, response) => {
        const timer = setInterval(() => response.write('.'), 100);
        response.on('close', () => clearInterval(timer));
      }),
    );
    // Waiting for the whole body would outlast this test.
    expect(await post(url, { timeout: 600_000 })).toEqual({ answer: expect.objectContaining({ status: 200 }) });
  });

  it('aborts with a server that does not answer in time', async () => {
    const url = await listen(createServer(() => undefined));
    expect(await post(url, { timeout: 150 })).toEqual({ failure: 'timeout' });
  });

  it('aborts with a server that sends its head byte by byte', async () => {
    const url = await listen(
      createTcpServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
        const timer = setInterval(() => socket.write('.'), 20);
        socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
      }),
    );
    expect(await post(url, { timeout: 150 })).toEqual({ failure: 'timeout' });
  });

  it.each([
    ['closes at once', (socket: Socket) => socket.destroy(), 'connection_closed'],
    ['answers garbage', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), 'invalid_response'],
    [
      'sends a huge head',
      (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`),
      'invalid_response',
    ],
  ])('survives a server that %s', async (_what, behave, failure) => {
    const url = await listen(createTcpServer((socket) => void behave(socket.on('error', () => undefined))));
    expect(await post(url)).toEqual({ failure });
  });

  it('reports a refused connection, and a name that does not exist', async () => {
    const url = await listen(createServer());
    closing.splice(0).forEach((close) => close());
    expect(await post(url)).toEqual({ failure: 'connection_failed' });
    expect(await post('http://nowhere.example.com/')).toEqual({ failure: 'name_not_resolved' });
  });

  it('stops an attempt when it is aborted', async () => {
    const abort = new AbortController();
    const url = await listen(createServer(() => abort.abort()));
    expect(await post(url, { signal: abort.signal })).toEqual({ failure: 'aborted' });
    expect(await post(url, { signal: abort.signal })).toEqual({ failure: 'aborted' });
  });

  describe('with a canary on loopback', () => {
    let port: string;
    let connections: number;

    beforeEach(async () => {
      connections = 0;
      const canary = createServer((_request, response) => response.end());
      canary.on('connection', () => connections++);
      ({ port } = new URL(await listen(canary)));
    });

    it('connects to no internal address in any notation', async () => {
      names.answers['loop.example.com'] = [['127.0.0.1']];
      names.answers['mixed.example.com'] = [['93.184.216.34', '127.0.0.1']];
      names.answers['mapped.example.com'] = [['::ffff:127.0.0.1']];
      for (const host of [...INNER_HOSTS, 'loop.example.com', 'mixed.example.com', 'mapped.example.com']) {
        expect({ host, ...(await post(`http://${host}:${port}/`, { allowed: [] })) }).toEqual({
          host,
          failure: 'forbidden_target',
        });
      }
      expect(connections).toBe(0);
    });

    it('connects to the checked address even if the name resolves to another address the next time', async () => {
      names.answers['rebind.example.com'] = [['93.184.216.34'], ['127.0.0.1']];
      const guard = new TargetGuard({ isHttpsRequired: false, allowedHosts: new AllowedHosts([]) }, names);
      const url = new URL(`http://rebind.example.com:${port}/`);
      expect(await guard.addressesOf(url)).toEqual(['93.184.216.34']);
      expect(await post(url.href, { allowed: [] })).toEqual({ failure: 'forbidden_target' });
      expect(connections).toBe(0);
    });

    it('reaches an internal address in an allowed network', async () => {
      names.answers['inner.example.com'] = [['127.0.0.1']];
      const sent = await post(`http://inner.example.com:${port}/`, { allowed: ['127.0.0.0/8'] });
      expect(sent).toEqual({ answer: { status: 200, retryAfter: null, body: '' } });
      expect(connections).toBe(1);
    });
  });
});
