import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AllowedHosts } from '../../common/network/allowed-hosts';
import { NameResolver } from '../../common/network/name-resolver';
import { type DownloadResult, OutboundHttpClient } from './outbound-http-client';
import { TargetGuard } from './target-guard';

/** Every name resolves to this machine. */
class LocalNames extends NameResolver {
  resolvePublic(): Promise<string[]> {
    return Promise.resolve(['127.0.0.1']);
  }

  resolveInner(): Promise<string[]> {
    return this.resolvePublic();
  }
}

describe('OutboundHttpClient.download', () => {
  const servers: Server[] = [];
  const clients: OutboundHttpClient[] = [];

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.onApplicationShutdown()));
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function listen(handle: RequestListener): Promise<string> {
    const server = createServer(handle);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  function download(
    url: string,
    {
      allowed = ['127.0.0.1'],
      timeout = 60_000,
      signal = new AbortController().signal,
      posted = undefined as string | undefined,
    } = {},
  ): Promise<DownloadResult> {
    const guard = new TargetGuard(
      { isHttpsRequired: false, allowedHosts: new AllowedHosts(allowed) },
      new LocalNames(),
    );
    const client = new OutboundHttpClient(guard);
    clients.push(client);
    const request = { url: new URL(url), headers: { accept: '*/*' }, limitBytes: 1_000, timeoutMilliseconds: timeout };
    return client.download({ ...request, signal, posted });
  }

  it('reads a body of exactly the limit, and its type', async () => {
    const body = Buffer.alloc(1_000, 7);
    const url = await listen((_request, response) => response.writeHead(200, { 'content-type': 'a/b' }).end(body));
    const found = await download(`${url}/x`);
    expect(found).toEqual({
      download: { status: 200, contentType: 'a/b', date: expect.any(String), body },
      url: new URL(`${url}/x`),
    });
  });

  it.each([
    ['declares its length', { 'content-length': '1001' }],
    ['declares no length', {}],
  ])('reads no longer body, when the target %s', async (_what, headers) => {
    const url = await listen((_request, response) => response.writeHead(200, headers).end(Buffer.alloc(1_001)));
    expect(await download(url)).toEqual({ failure: 'too_large' });
  });

  it('closes the connection of an endless body', async () => {
    let isCut: () => void;
    const cut = new Promise<void>((resolve) => (isCut = resolve));
    const url = await listen((_request, response) => {
      response.on('close', isCut);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    expect(await download(url)).toEqual({ failure: 'too_large' });
    await cut;
  });

  it.each([
    ['does not answer', () => undefined],
    ['sends its body byte by byte', (response: { write: (text: string) => void }) => response.write('x')],
  ])('aborts with a target that %s', async (_what, behave) => {
    const url = await listen((_request, response) => {
      const timer = setInterval(() => behave(response), 20);
      response.on('close', () => clearInterval(timer));
    });
    expect(await download(url, { timeout: 200 })).toEqual({ failure: 'timeout' });
  });

  it('discards an incomplete body', async () => {
    const url = await listen((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x', () => response.destroy());
    });
    expect(await download(url)).toEqual({ failure: 'connection_closed' });
  });

  it('accepts no compressed body, whose size is unlimited', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const url = await listen((_request, response) => response.writeHead(200, headers).end('x'));
    expect(await download(url)).toEqual({ failure: 'invalid_response' });
  });

  it('returns the status of a failure without its body', async () => {
    const url = await listen((_request, response) => response.writeHead(404).end('no such page'));
    expect(await download(url)).toMatchObject({ download: { status: 404, body: Buffer.alloc(0) } });
  });

  it('follows a limited number of redirects', async () => {
    const url = await listen(({ url: path = '' }, response) => {
      const left = Number(path.slice(1));
      if (left === 0) response.end('found');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const found = await download(`${url}/3`);
    expect(found).toMatchObject({ download: { body: Buffer.from('found') }, url: new URL(`${url}/0`) });
    expect(await download(`${url}/4`)).toEqual({ failure: 'invalid_response' });
  });

  it('connects to no internal address, neither directly nor after a redirect', async () => {
    let connections = 0;
    const canary = await listen((_request, response) => response.end('secret'));
    servers[0]!.on('connection', () => connections++);
    const { port } = new URL(canary);
    for (const target of [canary, `http://named.example.com:${port}/`]) {
      expect(await download(target, { allowed: [] })).toEqual({ failure: 'forbidden_target' });
      const gate = await listen((_request, response) => response.writeHead(307, { location: target }).end());
      const allowed = [`127.0.0.1:${new URL(gate).port}`];
      expect(await download(gate, { allowed })).toEqual({ failure: 'forbidden_target' });
    }
    expect(connections).toBe(0);
  });

  it.each(['file:///etc/passwd', 'http://[', 'http://user:pass@example.com/'])(
    'refuses a redirect to %s',
    async (to) => {
      const url = await listen((_request, response) => response.writeHead(301, { location: to }).end());
      expect(await download(url)).toEqual({ failure: expect.stringMatching(/forbidden_target|invalid_response/) });
    },
  );

  it('sends a POST to no redirect target', async () => {
    let requests = 0;
    const url = await listen((_request, response) => {
      requests++;
      response.writeHead(307, { location: '/another' }).end();
    });
    expect(await download(url, { posted: 'secret' })).toEqual({ failure: 'invalid_response' });
    expect(requests).toBe(1);
  });

  it('stops when it is aborted', async () => {
    const abort = new AbortController();
    const url = await listen(() => abort.abort());
    expect(await download(url, { signal: abort.signal })).toEqual({ failure: 'aborted' });
    expect(await download(url, { signal: abort.signal })).toEqual({ failure: 'aborted' });
  });
});
