import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AllowedHosts } from '../../../common/network/allowed-hosts';
import { SystemNameResolver } from '../../../common/network/network.module';
import type { BinaryPart } from '../../../integrations/llm/port/message-parts';
import { OutboundHttpClient } from '../../../integrations/outbound-http/outbound-http-client';
import { TargetGuard } from '../../../integrations/outbound-http/target-guard';
import { type FileReference, InputFiles, RemoteFiles } from './input-files';

const MIB = 1_048_576;

/** The shortest headers that identify the image types. */
const IMAGES: Record<string, Buffer> = {
  'image/png': Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000', 'hex'),
  'image/jpeg': Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  'image/gif': Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1'),
  'image/webp': Buffer.from(
    'RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0',
    'latin1',
  ),
};
const PNG = IMAGES['image/png'] as Buffer;

describe('InputFiles', () => {
  let server: Server;
  let origin: string;
  let connections: number;
  let handle: RequestListener;
  const clients: OutboundHttpClient[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => handle(request, response));
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(() => {
    connections = 0;
  });

  afterEach(() => Promise.all(clients.splice(0).map((client) => client.onApplicationShutdown())));

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const field = 'input[0].content[1].image_url';
  const image = (url: string, more: Partial<FileReference> = {}): FileReference => {
    return { field, type: 'image', url, name: null, detail: null, ...more };
  };
  const file = (url: string, more: Partial<FileReference> = {}) => image(url, { type: 'file', ...more });
  const dataUrl = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`;

  function read(references: FileReference[], allowed = ['127.0.0.1'], timeLimit?: number): Promise<BinaryPart[]> {
    const policy = { isHttpsRequired: false, allowedHosts: new AllowedHosts(allowed) };
    const client = new OutboundHttpClient(new TargetGuard(policy, new SystemNameResolver()));
    clients.push(client);
    const remote = new RemoteFiles(client);
    remote.timeLimitMilliseconds = timeLimit ?? remote.timeLimitMilliseconds;
    return new InputFiles(remote).read(1, references, new AbortController().signal);
  }

  const expectRefusal = (references: FileReference[], code: string, details: object = {}) =>
    expect(read(references)).rejects.toMatchObject({ status: 422, code, details: { field, ...details } });

  it.each(Object.entries(IMAGES))(
    'reads a data URL of %s regardless of the declared type',
    async (mediaType, bytes) => {
      for (const named of [mediaType, 'image/png', 'IMAGE/PNG', '', 'text/html;charset=utf-8']) {
        const parts = await read([image(dataUrl(bytes, named), { detail: 'low' })]);
        expect(parts).toEqual([{ type: 'image', media_type: mediaType, name: null, detail: 'low', data: bytes }]);
      }
    },
  );

  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
    ['a page', Buffer.from('<!DOCTYPE html><p>')],
    ['half of a head', PNG.subarray(0, 12)],
    ['a BMP', Buffer.from('BM\x1e\0\0\0\0\0\0\0\x1a\0\0\0', 'latin1')],
  ])('refuses %s as an image', async (_what, bytes) => {
    await expectRefusal([image(dataUrl(bytes))], 'FILE_TYPE_NOT_SUPPORTED');
  });

  it.each([
    ['application/pdf', Buffer.from('%PDF-1.7\n\xff\0', 'latin1'), 'application/pdf'],
    ['', Buffer.from('%PDF-1.7\n'), 'application/pdf'],
    ['text/markdown; charset=utf-8', Buffer.from('# Grüße'), 'text/markdown'],
    ['application/json', Buffer.from('{}'), 'application/json'],
    ['application/vnd.api+json', Buffer.from('{}'), 'application/vnd.api+json'],
    ['application/octet-stream', Buffer.from('plain'), 'text/plain'],
    ['', Buffer.from('plain'), 'text/plain'],
  ])('accepts a file of %p based on its content', async (named, bytes, mediaType) => {
    const parts = await read([file(dataUrl(bytes, named), { name: 'a.b' })]);
    expect(parts).toEqual([{ type: 'file', media_type: mediaType, name: 'a.b', detail: null, data: bytes }]);
  });

  it.each([
    ['an archive', 'application/zip', Buffer.from('PK\x03\x04\0\0', 'latin1')],
    ['text that is called an archive', 'application/zip', Buffer.from('plain')],
    ['text that is called a PDF', 'application/pdf', Buffer.from('plain')],
    ['text in another encoding', 'text/plain', Buffer.from('Gr\xfc\xdfe', 'latin1')],
    ['bytes that are called text', 'text/plain', Buffer.from('a\0b')],
    ['an image', 'image/png', PNG],
  ])('refuses %s as a file', async (_what, named, bytes) => {
    await expectRefusal([file(dataUrl(bytes, named))], 'FILE_TYPE_NOT_SUPPORTED');
  });

  it('reads bare base64 as a file, but not as an image', async () => {
    const parts = await read([file(Buffer.from('plain').toString('base64'))]);
    expect(parts).toMatchObject([{ media_type: 'text/plain', data: Buffer.from('plain') }]);
    await expectRefusal([image(PNG.toString('base64'))], 'FILE_UNREADABLE', { reason: 'malformed' });
  });

  it('skips white space in base64 and counts the rest', async () => {
    const lines = (text: string) => text.replace(/.{1,64}/g, '$& \t\r\n');
    const [head, base64] = dataUrl(PNG).split(',') as [string, string];
    const parts = await read([
      image(`${head},\n${lines(base64)}`),
      file(lines(Buffer.from('plain').toString('base64'))),
    ]);
    expect(parts).toMatchObject([{ data: PNG }, { data: Buffer.from('plain') }]);
    const largest = dataUrl(Buffer.concat([PNG, Buffer.alloc(10 * MIB - PNG.length)]));
    expect((await read([image(`${largest.slice(0, 99)}\n${largest.slice(99)}\n`)]))[0]?.data).toHaveLength(10 * MIB);
    await expectRefusal([image(`${head},\n${lines('*'.repeat(99))}`)], 'FILE_UNREADABLE', { reason: 'malformed' });
  });

  it.each([
    ['no comma', 'data:image/png;base64'],
    ['no base64', 'data:image/png,%89PNG'],
    ['no digits', `data:image/png;base64,${'*'.repeat(40)}`],
    ['something in the middle', `data:image/png;base64,AAAA====${PNG.toString('base64')}`],
    ['another scheme', 'ftp://example.com/a.png'],
    ['a path', '/etc/passwd'],
    ['a broken URL', 'http://['],
    ['nothing', ''],
  ])('refuses a URL with %s', async (_what, url) => {
    await expectRefusal([image(url)], 'FILE_UNREADABLE', { reason: 'malformed' });
  });

  it('refuses input without content', async () => {
    await expectRefusal([file('data:text/plain;base64,')], 'FILE_UNREADABLE', { reason: 'empty' });
  });

  it.each([
    ['a.txt', 'a.txt'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\a.txt', 'a.txt'],
    [' a\0b\r\n.txt\ud800 ', 'a\ufffdb.txt\ufffd'],
    ['x'.repeat(1_000), 'x'.repeat(255)],
    ['😀'.repeat(300), '😀'.repeat(255)],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['a\u200b\u2066.txt\u2069', 'a.txt'],
    ['\u200f\ufeff', null],
    ['/', null],
    ['', null],
  ])('keeps the storable part of the name %p', async (name, kept) => {
    expect(await read([file(dataUrl(Buffer.from('a'), 'text/plain'), { name })])).toMatchObject([{ name: kept }]);
  });

  it('accepts exactly the limit and refuses one byte more before decoding', async () => {
    const bytes = Buffer.concat([PNG, Buffer.alloc(10 * MIB - PNG.length)]);
    expect((await read([image(dataUrl(bytes)), image(dataUrl(bytes))])).map(({ data }) => data.length)).toEqual([
      10 * MIB,
      10 * MIB,
    ]);
    const decoding = jest.spyOn(Buffer, 'from');
    const longer = dataUrl(Buffer.concat([bytes, Buffer.alloc(1)]));
    decoding.mockClear();
    await expectRefusal([image(longer)], 'FILE_TOO_LARGE', { limit_bytes: 10 * MIB });
    expect(decoding).not.toHaveBeenCalled();
    await expectRefusal([image(dataUrl(bytes)), image(dataUrl(bytes)), image(dataUrl(PNG))], 'TOO_MANY_FILES');
  });

  it('refuses more than twenty and fetches none of them', async () => {
    const many = Array.from({ length: 21 }, (_value, index) => image(`${origin}/${index}`));
    await expectRefusal(many, 'TOO_MANY_FILES', { limit: 20, limit_bytes: 20 * MIB });
    expect(connections).toBe(0);
  });

  it('fetches each URL once, in addition to data URLs, and keeps the order', async () => {
    const asked: string[] = [];
    handle = ({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end(url === '/a' ? PNG : 'a,b');
    };
    const [a, b] = [`${origin}/a`, `${origin}/t%C3%A4g.csv?x=/y`];
    const parts = await read([file(b), image(a), image(dataUrl(PNG)), image(a), file(b, { name: 'own.csv' })]);
    expect(parts.map(({ name, media_type }) => [name, media_type])).toEqual([
      ['täg.csv', 'text/csv'],
      ['a', 'image/png'],
      [null, 'image/png'],
      ['a', 'image/png'],
      ['own.csv', 'text/csv'],
    ]);
    expect(asked.sort()).toEqual(['/a', '/t%C3%A4g.csv?x=/y']);
  });

  it('connects to no internal address', async () => {
    handle = (_request, response) => response.end(PNG);
    for (const url of [origin, origin.replace('127.0.0.1', 'localhost'), origin.replace('127.0.0.1', '2130706433')]) {
      const refused = read([image(dataUrl(PNG)), image(url)], []);
      await expect(refused).rejects.toMatchObject({ status: 422, code: 'FILE_URL_FORBIDDEN', details: { field } });
    }
    expect(connections).toBe(0);
  });

  it('reports why a URL has no content', async () => {
    handle = (_request, response) => response.writeHead(404).end(PNG);
    await expectRefusal([image(origin)], 'FILE_UNREADABLE', { reason: 'status', status: 404 });
    handle = (_request, response) => response.destroy();
    await expectRefusal([image(origin)], 'FILE_UNREADABLE', { reason: 'connection_closed' });
    handle = (_request, response) => response.end(Buffer.alloc(10 * MIB + 1));
    await expectRefusal([image(origin)], 'FILE_TOO_LARGE', { limit_bytes: 10 * MIB });
    handle = () => undefined;
    const late = read([image(origin)], undefined, 150);
    await expect(late).rejects.toMatchObject({ code: 'FILE_UNREADABLE', details: { reason: 'timeout' } });
  });

  it('fetches two at a time for a request and none after an error', async () => {
    let open = 0;
    let most = 0;
    handle = (_request, response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.end(PNG);
      }, 30);
    };
    const many = Array.from({ length: 12 }, (_value, index) => image(`${origin}/${index}`));
    await read(many);
    expect(most).toBe(2);
    let asked = 0;
    handle = ({ url }, response) => {
      asked++;
      response.writeHead(url === '/0' ? 500 : 200).end(PNG);
    };
    await expectRefusal(many, 'FILE_UNREADABLE', { reason: 'status', status: 500 });
    expect(asked).toBeLessThan(12);
  });
});
