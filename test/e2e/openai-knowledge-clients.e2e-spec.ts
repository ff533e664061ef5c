import { type OpenAI, OpenAI as OpenAI6, toFile } from '../clients/openai';
import { OpenAI as OpenAI7 } from '../clients/openai-7';
import { createUser } from '../support/accounts';
import { docxOf, wordParagraph } from '../support/documents/office';
import { pdfOf } from '../support/documents/pdf';
import { useTestApp } from '../support/use-app';

const PORTS = 'The harbour of Lisbon is deep.';
const HILLS = 'The hills of Porto are steep.';

describe.each([
  ['6', OpenAI6],
  ['7', OpenAI7 as unknown as typeof OpenAI6],
])("OpenAI's unmodified client, version %s", (_version, Client) => {
  const app = useTestApp();
  let client: OpenAI;

  beforeEach(async () => {
    const { token } = await createUser(app);
    client = new Client({ apiKey: token, baseURL: `${app.origin}/openai/v1`, maxRetries: 0 });
  });

  const fileOf = (name: string, content: string | Buffer) => toFile(Buffer.from(content), name);

  it('uploads, lists, reads and deletes files', async () => {
    const expires_after = { anchor: 'created_at' as const, seconds: 3_600 };
    const file = await client.files.create({
      file: await fileOf('notes.txt', PORTS),
      purpose: 'user_data',
      expires_after,
    });
    expect(file).toMatchObject({ object: 'file', bytes: PORTS.length, filename: 'notes.txt', purpose: 'user_data' });
    expect(file.expires_at).toBe(file.created_at + 3_600);
    expect(await client.files.waitForProcessing(file.id)).toEqual(file);
    const listed: string[] = [];
    for await (const { id } of client.files.list({ limit: 1 })) listed.push(id);
    expect(listed).toEqual([file.id]);
    const content = await client.files.content(file.id);
    expect(await content.text()).toBe(PORTS);
    expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
    await expect(client.files.retrieve(file.id)).rejects.toMatchObject({ status: 404, code: 'FILE_NOT_FOUND' });
  });

  it('uploads a file in parts', async () => {
    const upload = await client.uploads.create({
      bytes: PORTS.length,
      filename: 'ports.txt',
      mime_type: 'text/plain',
      purpose: 'assistants',
    });
    const [one, two] = await Promise.all(
      [PORTS.slice(0, 10), PORTS.slice(10)].map(async (text) =>
        client.uploads.parts.create(upload.id, { data: await fileOf('part', text) }),
      ),
    );
    const completed = await client.uploads.complete(upload.id, { part_ids: [one!.id, two!.id] });
    expect(completed).toMatchObject({ status: 'completed', file: { filename: 'ports.txt', bytes: PORTS.length } });
    expect(await (await client.files.content(completed.file!.id)).text()).toBe(PORTS);
    const other = await client.uploads.create({ bytes: 1, filename: 'a', mime_type: 'text/plain', purpose: 'vision' });
    expect((await client.uploads.cancel(other.id)).status).toBe('cancelled');
  });

  it('fills a vector store and searches it', async () => {
    const store = await client.vectorStores.create({ name: 'Cities', metadata: { team: 'travel' } });
    const entry = await client.vectorStores.files.uploadAndPoll(
      store.id,
      await fileOf('ports.docx', docxOf(wordParagraph(PORTS))),
    );
    expect(entry).toMatchObject({ status: 'completed', last_error: null, vector_store_id: store.id });
    const batch = await client.vectorStores.fileBatches.uploadAndPoll(store.id, {
      files: [await fileOf('hills.md', `# Porto\n\n${HILLS}`), await fileOf('scan.pdf', pdfOf([[]]))],
    });
    expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 1, failed: 1, total: 2 } });
    const failed: (string | undefined)[] = [];
    const inBatch = client.vectorStores.fileBatches.listFiles(batch.id, {
      vector_store_id: store.id,
      filter: 'failed',
    });
    for await (const { last_error: error } of inBatch) failed.push(error?.code);
    expect(failed).toEqual(['invalid_file']);
    await client.vectorStores.files.update(entry.id, {
      vector_store_id: store.id,
      attributes: { country: 'Portugal' },
    });
    const found = await client.vectorStores.search(store.id, {
      query: 'deep harbour',
      filters: { type: 'eq', key: 'country', value: 'Portugal' },
    });
    expect(found.data).toEqual([
      expect.objectContaining({
        file_id: entry.id,
        filename: 'ports.docx',
        attributes: { country: 'Portugal' },
        content: [{ type: 'text', text: PORTS }],
      }),
    ]);
    const { data } = await client.vectorStores.search(store.id, { query: ['steep hills', 'harbour'] });
    expect(data.map(({ filename }) => filename).sort()).toEqual(['hills.md', 'ports.docx']);
    const texts: string[] = [];
    const content = client.vectorStores.files.content(entry.id, { vector_store_id: store.id });
    for await (const { text } of content) texts.push(text ?? '');
    expect(texts.join('')).toBe(PORTS);
    expect(await client.vectorStores.retrieve(store.id)).toMatchObject({
      status: 'completed',
      file_counts: { completed: 2, failed: 1, total: 3 },
    });
    await client.vectorStores.files.delete(entry.id, { vector_store_id: store.id });
    const left: string[] = [];
    for await (const { status } of client.vectorStores.files.list(store.id, { limit: 1 })) left.push(status);
    expect(left.sort()).toEqual(['completed', 'failed']);
    expect(await client.vectorStores.update(store.id, { name: null })).toMatchObject({ name: '' });
    expect(await client.vectorStores.delete(store.id)).toMatchObject({ deleted: true });
  });

  it('stops polling a cancelled file', async () => {
    const store = await client.vectorStores.create({});
    const { id } = await client.files.create({ file: await fileOf('a.txt', PORTS), purpose: 'assistants' });
    const batch = await client.vectorStores.fileBatches.create(store.id, { file_ids: [id] });
    const { status } = await client.vectorStores.fileBatches.cancel(batch.id, { vector_store_id: store.id });
    // The file may have been read before.
    expect(['cancelled', 'completed']).toContain(status);
    const file = await client.vectorStores.files.poll(store.id, id);
    expect(['cancelled', 'failed', 'completed']).toContain(file.status);
  });
});
