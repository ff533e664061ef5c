import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { Database } from '../../src/database/database';
import { BlobEntity } from '../../src/integrations/blob-store/blob.entity';
import { expectFailure } from '../support/http';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

const FILE = `data:text/plain;base64,${btoa('a file')}`;

/** No disk has a pebibyte free. */
describe('an almost full disk', () => {
  const app = useChatApp({ MIN_FREE_DISK_MB: '1073741824', WEBHOOK_ALLOWED_HOSTS: 'localhost' });
  const user = useClient(app);
  let server: Server;
  let fileUrl: string;
  let connections = 0;

  beforeAll(async () => {
    server = createServer((_request, response) => response.end('a file'));
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, resolve));
    fileUrl = `http://localhost:${(server.address() as AddressInfo).port}/a.txt`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const item = (url: string) => ({ role: 'user', content: [{ type: 'input_file', file_url: url }] });
  const blobs = () => app.app.get(Database).repository(BlobEntity).count();

  it('accepts texts, and no files, which are neither downloaded nor stored', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const error = jest.spyOn(Logger.prototype, 'error');
    const client = new ResponsesClient(app.origin, user.token, 'General assistant');
    const { model } = client;
    const { id } = (await client.request<{ id: string }>('/conversations', { body: {} })).body;
    const { status, conversation } = await client.create({ input: 'Hello' });
    expect(status).toBe('completed');
    const path = `/chat/${conversation?.id.slice('conv_'.length)}/shares`;
    const { token } = (await user.request<{ token: string }>(path, { body: {} })).body;
    expect((await user.request(`/shared/${token}/continue`, { method: 'POST' })).status).toBe(201);
    const messages = [{ role: 'user', content: [{ type: 'file', file: { file_data: FILE } }] }];
    const attempts: [string, object][] = [
      [`/conversations/${id}/items`, { items: [item(fileUrl)] }],
      [`/conversations/${id}/items`, { items: [item(FILE)] }],
      ['/conversations', { items: [item(FILE)] }],
      ['/responses', { model, input: [item(fileUrl)] }],
      ['/responses', { model, input: [item(FILE)], store: false }],
      ['/chat/completions', { model, messages }],
    ];
    const answers = [];
    for (const [path, body] of attempts) {
      answers.push(await client.request(path, { body }));
    }
    const chat = await user.createChat();
    const parts = [
      { type: 'text', text: 'Read this.' },
      { type: 'file', url: FILE },
    ];
    const sent = await user.request('/chat/message', { body: { chat_id: chat.id, parts } });
    if (app.app.get(Database).isShared) {
      expect(sent.status).toBe(200);
      // A server has its own disk.
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      return;
    }
    for (const answer of answers) {
      expectOpenAiFailure(answer, 503, 'SERVICE_UNAVAILABLE');
      expect(answer.headers.get('retry-after')).toBe('60');
    }
    expectFailure(sent, 503, 'SERVICE_UNAVAILABLE');
    expect((await user.read(chat.id)).messages).toEqual([]);
    expect([connections, await blobs()]).toEqual([0, 0]);
    const told = warn.mock.calls.filter(([, text]) => /disk is nearly full/.test(String(text)));
    expect(told).toHaveLength(1);
    expect(error).not.toHaveBeenCalled();
  });
});
