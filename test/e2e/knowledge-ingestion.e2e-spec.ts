// @databases mariadb mysql: leases, turns of owners, and batches of passages
import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import { queryRows } from '../../src/database/statements/query';
import type { EntryDto } from '../../src/modules/knowledge/collections/entry.dto';
import { docxOf, wordParagraph } from '../support/documents/office';
import { pdfOf } from '../support/documents/pdf';
import { eventually } from '../support/eventually';
import { KnowledgeClient, type SentFile } from '../support/knowledge';
import { useTestApp } from '../support/use-app';

const app = useTestApp();

const rows = <Row extends object>(sql: string, values: (string | number)[] = []): Promise<Row[]> =>
  queryRows<Row>(app.app.get(Database).manager, sql, values);

/** Attaches a file and waits until its ingestion has ended. */
async function ingest(client: KnowledgeClient, storeId: number, file: SentFile, body = {}): Promise<EntryDto> {
  const { id } = await client.upload(file);
  await client.attach(storeId, id, body);
  return ended(client, storeId, id);
}

function ended(client: KnowledgeClient, storeId: number, fileId: number): Promise<EntryDto> {
  return eventually(async () => {
    const entry = await client.data<EntryDto>(`/knowledge/${storeId}/files/${fileId}`);
    return entry.stage === null || entry.stage === 'done' ? entry : null;
  });
}

describe('the ingestion of a file', () => {
  it('makes its text and passages, and finds them with their page and heading', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    const entry = await ingest(client, store.id, {
      name: 'a.pdf',
      content: pdfOf([['One page'], ['The harbour is deep']]),
    });
    expect(entry).toMatchObject({ status: 'completed', stage: 'done', error: null, warning: null, passages: 1 });
    const text = await client.data(`/knowledge/${store.id}/files/${entry.file_id}/text`);
    expect(text).toMatchObject({
      text: 'One page\n\nThe harbour is deep',
      pages: [
        { page: 1, start: 0 },
        { page: 2, start: 10 },
      ],
    });
    const found = await client.data<{ results: object[] }>(`/knowledge/${store.id}/search`, {
      body: { query: 'harbour' },
    });
    expect(found.results).toMatchObject([{ file_id: entry.file_id, page: 1, text: 'One page\n\nThe harbour is deep' }]);
  });

  it.each([
    ['a scan', 'a.pdf', pdfOf([[]]), 'no_text'],
    ['an image', 'a.pdf', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'type_not_supported'],
    ['a damaged file', 'a.docx', docxOf(wordParagraph('x')).subarray(0, 300), 'broken'],
  ])('says why %s has no passages', async (_name, name, content, code) => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    const entry = await ingest(client, store.id, { name, content });
    expect(entry).toMatchObject({ status: 'failed', stage: null, error: { code } });
    expect(entry.error?.message).toContain(name);
  });

  it('parses the same content once, and cuts it again for another size', async () => {
    const client = await KnowledgeClient.of(app);
    const content = Array.from({ length: 200 }, (_line, index) => `Line ${index} of a long text.\n`).join('');
    const file = await client.upload({ content });
    const [one, other] = [await client.createStore(), await client.createStore()];
    await client.attach(one.id, file.id);
    const whole = await ended(client, one.id, file.id);
    const strategy = { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 0 } };
    await client.attach(other.id, file.id, { chunking_strategy: strategy });
    const small = await ended(client, other.id, file.id);
    expect(small.passages).toBeGreaterThan(whole.passages);
    const texts = await rows<{ length: number }>('SELECT length FROM knowledge_texts WHERE owner_id = ?', [client.id]);
    expect(texts).toMatchObject([{ length: content.length }]);
  });

  it('shows the earlier passages until the new ones are complete, and then removes them', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    const content = Array.from({ length: 200 }, (_line, index) => `Line ${index} of a long text.\n`).join('');
    const first = await ingest(client, store.id, { content });
    const strategy = { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 0 } };
    const again = await client.attach(store.id, first.file_id, { chunking_strategy: strategy });
    expect(again).toMatchObject({ status: 'completed', passages: first.passages });
    const after = await ended(client, store.id, first.file_id);
    expect(after.passages).toBeGreaterThan(first.passages);
    await eventually(async () => {
      const [{ passages } = { passages: 0 }] = await rows<{ passages: number }>(
        'SELECT COUNT(*) AS passages FROM knowledge_passages WHERE store_id = ?',
        [store.id],
      );
      return Number(passages) === after.passages;
    });
  });

  it('ends when the file is detached', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    const file = await client.upload({ content: 'Some words. '.repeat(150_000) });
    await client.attach(store.id, file.id);
    await pause(300);
    await client.data(`/knowledge/${store.id}/files/${file.id}`, { method: 'DELETE' });
    await eventually(async () => {
      const left = [
        ...(await rows('SELECT id FROM knowledge_jobs WHERE owner_id = ?', [client.id])),
        ...(await rows('SELECT owner_id FROM knowledge_turns WHERE owner_id = ?', [client.id])),
        ...(await rows('SELECT id FROM knowledge_passages WHERE store_id = ?', [store.id])),
      ];
      return left.length === 0;
    });
  });

  it('counts the text towards the storage of the owner, once for each file', async () => {
    const client = await KnowledgeClient.of(app);
    const [one, other] = [await client.createStore(), await client.createStore()];
    const file = await client.upload({ content: 'ten bytes.' });
    const before = await rows<{ text_bytes: number }>('SELECT text_bytes FROM knowledge_files WHERE id = ?', [file.id]);
    expect(before).toEqual([{ text_bytes: 0 }]);
    for (const store of [one, other]) {
      await client.attach(store.id, file.id);
      await ended(client, store.id, file.id);
    }
    const after = await rows<{ text_bytes: number }>('SELECT text_bytes FROM knowledge_files WHERE id = ?', [file.id]);
    expect(after).toEqual([{ text_bytes: 10 }]);
  });
});
