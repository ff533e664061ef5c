// @databases mariadb: rows of many tables
import { createHash } from 'node:crypto';
import { fromBuffer } from 'yauzl';
import type { HoldDto } from '../../src/modules/hold-administration/holds/legal-hold.dto';
import { ChatClient } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { KnowledgeClient, WITHOUT_INGESTION } from '../support/knowledge';
import { useAdmin, useOwnChatApp } from '../support/use-app';

interface Line {
  type: string;
  [name: string]: unknown;
}

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The files of an archive, in their order. */
function filesOf(archive: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    const files = new Map<string, Buffer>();
    fromBuffer(archive, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      zip.on('entry', (entry: { fileName: string }) => {
        zip.openReadStream(entry as never, (fault, stream) => {
          if (fault) return reject(fault);
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('end', () => {
            files.set(entry.fileName, Buffer.concat(chunks));
            zip.readEntry();
          });
        });
      });
      zip.on('end', () => resolve(files));
      zip.readEntry();
    });
  });
}

const rowsOf = (file: Buffer | undefined) =>
  String(file)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

describe('the export of a legal hold', () => {
  const app = useOwnChatApp({ ...WITHOUT_INGESTION, ADMIN_CONTENT_ACCESS: 'true' });
  const admin = useAdmin(app);

  const download = (id: number, query: string) =>
    fetch(`${app.url}/admin/holds/${id}/export?${query}`, {
      headers: { authorization: `Bearer ${admin.account.token}` },
    });

  async function heldUser() {
    const knowledge = await KnowledgeClient.of(app);
    const { token } = knowledge.account;
    const chats = new ChatClient(app.url, token);
    const { id: chatId } = await chats.createChat({ title: 'Evidence' });
    const { body } = await chats.send(chatId, 'The money is in the cellar.');
    await chats.request(`/chat/${chatId}/messages/${body[1].id}/feedback`, {
      method: 'PUT',
      body: { rating: 'dislike', comment: 'Too loud.' },
    });
    const store = await knowledge.createStore();
    const file = await knowledge.addText(store.id, 'A list of accounts.');
    const hold = (
      await admin.post<HoldDto>('/admin/holds', {
        scope: 'user',
        scope_id: knowledge.id,
        name: 'Case 7',
        reason: 'Court order.',
      })
    ).body.data;
    for (const path of [`/chat/${chatId}`, `/files/${file.id}`]) {
      await call(`${app.url}${path}`, { method: 'DELETE', token });
    }
    return { hold, chatId, file, knowledge };
  }

  it('is an archive of all rows and files, also deleted ones, whose manifest comes last', async () => {
    const { hold, chatId, file, knowledge } = await heldUser();
    expect(hold.counts).toEqual({ users: 1, chats: 1, messages: 2, files: 1 });
    const response = await download(hold.id, 'reason=Request+of+the+court');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
    const archive = Buffer.from(await response.arrayBuffer());
    const files = await filesOf(archive);
    const hash = sha256('A list of accounts.');
    expect([...files.keys()]).toEqual([
      ...['users', 'chats', 'messages', 'tool_calls', 'actions', 'feedback', 'files', 'audit'].map(
        (name) => `${name}.jsonl`,
      ),
      `files/${hash}`,
      'manifest.json',
    ]);
    const manifest = JSON.parse(String(files.get('manifest.json'))) as {
      files: { path: string; bytes: number; sha256: string }[];
      counts: object;
    };
    expect(manifest).toMatchObject({
      hold: { id: hold.id, scope: 'user', scope_id: knowledge.id },
      by: admin.id,
      reason: 'Request of the court',
      counts: { user: 1, chat: 1, message: 2, feedback: 1, file: 1 },
    });
    for (const { path, bytes, sha256: digest } of manifest.files) {
      const content = files.get(path) as Buffer;
      expect([path, content.length, sha256(content)]).toEqual([path, bytes, digest]);
    }
    expect(rowsOf(files.get('users.jsonl'))).toMatchObject([
      { id: knowledge.id, email: knowledge.account.user.email, deleted_at: null },
    ]);
    expect(rowsOf(files.get('chats.jsonl'))).toMatchObject([{ id: chatId, deleted_at: expect.any(String) }]);
    expect(rowsOf(files.get('messages.jsonl'))).toMatchObject([
      { content: 'The money is in the cellar.' },
      { role: 'assistant' },
    ]);
    expect(rowsOf(files.get('feedback.jsonl'))).toMatchObject([{ rating: 'dislike', comment: 'Too loud.' }]);
    expect(rowsOf(files.get('files.jsonl'))).toMatchObject([
      {
        id: file.id,
        hash,
        text: 'A list of accounts.',
        deleted_at: expect.any(String),
        collections: [{ name: 'Handbooks', deleted_at: expect.any(String) }],
      },
    ]);
    expect(String(files.get('users.jsonl'))).not.toMatch(/password|\$argon2/);
    const entries = await eventually(async () => {
      const found = await admin.items<{ after: Record<string, unknown>; reason: string; actor_id: number }>(
        `/admin/audit_logs?action=hold.exported&target=hold:${hold.id}`,
      );
      return found.length === 2 && found;
    });
    expect(entries).toMatchObject([
      { actor_id: admin.id, reason: 'Request of the court', after: { state: 'ended', sha256: sha256(archive) } },
      { actor_id: admin.id, reason: 'Request of the court', after: { state: 'started' } },
    ]);
  });

  it('is JSON Lines with a hash at the end, of the messages of a period and one conversation', async () => {
    const { chatId } = await heldUser();
    const { body } = await admin.post<HoldDto>('/admin/holds', {
      scope: 'chat',
      scope_id: chatId,
      name: 'Case 8',
      reason: 'Court order.',
    });
    const { id } = body.data;
    const text = await (await download(id, 'format=jsonl&reason=Court')).text();
    const lines = rowsOf(Buffer.from(text));
    expect(lines.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['user', 'chat', 'message', 'feedback', 'end']),
    );
    const end = lines.at(-1);
    const before = text.slice(0, text.lastIndexOf('{"type":"end"'));
    expect(end).toMatchObject({ type: 'end', counts: { user: 1, chat: 1, message: 2 }, sha256: sha256(before) });
    const earlier = rowsOf(Buffer.from(await (await download(id, 'format=jsonl&reason=Court&to=2020-01-01')).text()));
    expect(earlier.filter(({ type }) => type === 'message')).toEqual([]);
    expect(earlier.filter(({ type }) => type === 'chat')).toHaveLength(1);
  });

  it('needs a reason, and a hold that exists', async () => {
    const { token } = admin.account;
    expectFailure(
      await call(`${app.url}/admin/holds/2000000000/export?reason=Court`, { token }),
      404,
      'HOLD_NOT_FOUND',
    );
    expectFailure(await call(`${app.url}/admin/holds/1/export`, { token }), 400, 'VALIDATION_ERROR');
  });
});
