import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database } from '../../src/database/database';
import { BlobEntity } from '../../src/integrations/blob-store/blob.entity';
import { createAdmin } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller } from '../support/completion-stream';
import { eventually } from '../support/eventually';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

const MIB = 1_048_576;

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('images and files from API clients', () => {
  // This machine's name is allowed, and its address is not.
  const app = useChatApp({ WEBHOOK_ALLOWED_HOSTS: 'localhost' });
  const client = useClient(app);
  let model: string;
  let server: Server;
  let port: number;
  let asked: string[];
  let connections: number;
  let handle: RequestListener;

  beforeAll(async () => {
    model = (await createAgent(agentRequests(app, (await createAdmin(app)).token), { status: 'active' })).name;
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      handle(request, response);
    });
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, resolve));
    ({ port } = server.address() as AddressInfo);
  });

  beforeEach(() => {
    asked = [];
    connections = 0;
    handle = (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(PNG);
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const open = (path: string) => `http://localhost:${port}${path}`;
  const inner = (path: string) => `http://127.0.0.1:${port}${path}`;
  const dataUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`;

  function complete(text: string, ...urls: string[]) {
    const images = urls.map((url) => ({ type: 'image_url', image_url: { url } }));
    const messages = [{ role: 'user', content: [{ type: 'text', text }, ...images] }];
    return new CompletionCaller(app.origin, client.token).complete({ model, messages });
  }

  const paramOf = (place: number) => `messages[0].content[${place}].image_url.url`;

  it('are sent to the model from a URL, with their actual type', async () => {
    const text = uniqueContent();
    expect((await complete(text, open('/a'), open('/a'))).status).toBe(200);
    const [request] = await app.model.requests(text);
    const told = request?.body.messages.at(-1)?.content as object[];
    const image = { type: 'image_url', image_url: expect.objectContaining({ url: dataUrl(PNG) }) };
    expect(told.slice(1)).toEqual([image, image]);
    expect(asked).toEqual(['/a']);
  });

  it('are not fetched from an internal address, even through a public one', async () => {
    for (const url of [inner('/secret'), 'http://127.0.0.1:1/a.png']) {
      expectOpenAiFailure(await complete('Hello', url), 400, 'file_url_forbidden', paramOf(1));
    }
    for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://[::1]/', 'https://metadata.internal/']) {
      expectOpenAiFailure(await complete('Hello', dataUrl(PNG), url), 400, 'file_url_forbidden', paramOf(2));
    }
    expect(connections).toBe(0);
    handle = (_request, response) => response.writeHead(302, { location: inner('/secret') }).end();
    expectOpenAiFailure(await complete('Hello', open('/gate')), 400, 'file_url_forbidden', paramOf(1));
    expect(asked).toEqual(['/gate']);
    expect(await app.model.requests('Hello')).toEqual([]);
  });

  it("report why a URL has no content, without the server's message", async () => {
    handle = (_request, response) => response.writeHead(403).end('You are 10.0.0.7');
    const refused = await complete('Hello', open('/a'));
    const { message } = expectOpenAiFailure(refused, 400, 'file_unreadable', paramOf(1));
    expect(message).toContain('(status)');
    expect(refused.text).not.toContain('10.0.0.7');
    handle = (_request, response) => response.end('<!DOCTYPE html>');
    expectOpenAiFailure(await complete('Hello', open('/a')), 400, 'file_type_not_supported', paramOf(1));
    handle = (_request, response) => response.end(Buffer.alloc(10 * MIB + 1));
    expectOpenAiFailure(await complete('Hello', open('/a')), 400, 'file_too_large', paramOf(1));
  });

  it('may be split into lines', async () => {
    const text = uniqueContent();
    const large = dataUrl(Buffer.concat([PNG, Buffer.alloc(10 * MIB - PNG.length, 'x')]));
    const lines = `data:image/png;base64,${large.slice(large.indexOf(',') + 1).replace(/.{76}/g, '$&\r\n')}\n`;
    expect((await complete(text, lines)).status).toBe(200);
    const [request] = await app.model.requests(text);
    const told = request?.body.messages.at(-1)?.content as { image_url: { url: string } }[];
    expect(told[1]?.image_url.url === large).toBe(true);
  });

  it('are limited to 10 MiB each and 20 MiB together, and a completion stores none', async () => {
    const text = uniqueContent();
    const large = dataUrl(Buffer.concat([PNG, Buffer.alloc(10 * MIB - PNG.length)]));
    expect((await complete(text, large, large)).status).toBe(200);
    const [request] = await app.model.requests(text);
    const told = request?.body.messages.at(-1)?.content as { image_url: { url: string } }[];
    expect(told.slice(1).map(({ image_url }) => image_url.url.length)).toEqual([large.length, large.length]);
    expectOpenAiFailure(await complete('Hello', large, large, dataUrl(PNG)), 400, 'too_many_files', paramOf(3));
    expect(await app.app.get(Database).repository(BlobEntity).count()).toBe(0);
  });

  it('from one user do not block other users', async () => {
    const held: (() => void)[] = [];
    handle = (request, response) => {
      const send = (): void => void response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
      if (request.url?.startsWith('/held')) held.push(send);
      else send();
    };
    const many = Array.from({ length: 13 }, (_value, index) => complete(uniqueContent(), open(`/held${index}`)));
    const refused = await Promise.race(many);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('5');
    await eventually(() => held.length === 2);
    const other = await app.newClient();
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: open('/other') } }] }];
    expect((await new CompletionCaller(app.origin, other.token).complete({ model, messages })).status).toBe(200);
    expect(asked.filter((path) => path.startsWith('/held'))).toHaveLength(2);
    let isOver = false;
    const all = Promise.all(many).finally(() => (isOver = true));
    await eventually(() => {
      held.splice(0).forEach((send) => send());
      return isOver;
    });
    expect(asked.filter((path) => path.startsWith('/held'))).toHaveLength(12);
    await all;
  });
});
