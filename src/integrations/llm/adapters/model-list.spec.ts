import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { SystemNameResolver } from '../../../common/network/network.module';
import { LlmConfig } from '../llm.config';
import { ProviderTargets } from '../providers/provider-targets';
import { readModels } from './model-list';

const LIST = Buffer.from('{"data":[{"id":"one"},{"id":"two"}]}');

describe('readModels', () => {
  let server: Server;
  let encoding: string;
  let body: Buffer;
  let received: IncomingHttpHeaders;

  beforeAll(async () => {
    server = createServer((request, response) => {
      received = request.headers;
      response.writeHead(200, { 'content-encoding': encoding }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => new Promise((resolve) => server.close(resolve)));

  function read(): Promise<string[]> {
    const { port } = server.address() as AddressInfo;
    const access = { address: new URL(`http://127.0.0.1:${port}/v1/models`), headers: {}, key: null };
    const targets = new ProviderTargets(new LlmConfig(), new SystemNameResolver());
    return readModels(access, targets, new AbortController().signal);
  }

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', (bytes) => bytes],
  ])('requests no compression, and reads %s', async (name, compress) => {
    [encoding, body] = [name, compress(LIST)];
    expect(await read()).toEqual(['one', 'two']);
    expect(received['accept-encoding']).toBe('identity');
  });

  it.each<[string, string, Buffer]>([
    ['becomes endless when it is unpacked', 'gzip', gzipSync(Buffer.alloc(9_000_000, ' '))],
    ['cannot be unpacked', 'br', Buffer.from('[]')],
    ['is packed in an unknown way', 'zstd', LIST],
  ])('fails with a list that %s', async (_what, name, bytes) => {
    [encoding, body] = [name, bytes];
    await expect(read()).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
  });
});
