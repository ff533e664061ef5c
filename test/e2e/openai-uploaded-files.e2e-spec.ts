// @databases mariadb: keys and cursors
import { createHash, randomBytes } from 'node:crypto';
import type { OpenAiFileDto } from '../../src/modules/openai/files/file.dto';
import type { OpenAiUploadDto, OpenAiUploadPartDto } from '../../src/modules/openai/files/upload.dto';
import { WITHOUT_INGESTION } from '../support/knowledge';
import { expectOpenAiFailure } from '../support/openai-failure';
import { type CursorPageBody, OpenAiKnowledge, rowOf } from '../support/openai-knowledge';
import { useOwnTestApp } from '../support/use-app';

const MIB = 1_048_576;
const DAY = 86_400;

describe("files in OpenAI's form", () => {
  const app = useOwnTestApp({ ...WITHOUT_INGESTION, FILE_MAX_MB: '1' });
  let client: OpenAiKnowledge;

  beforeEach(async () => {
    client = await OpenAiKnowledge.of(app);
  });

  it('are stored, read, downloaded and deleted', async () => {
    const content = 'The sea is warm.\r\n';
    const file = await client.upload({
      name: 'dir/Plan.txt',
      content,
      fields: { 'expires_after[seconds]': String(DAY), purpose: 'user_data', 'expires_after[anchor]': 'created_at' },
    });
    expect(file).toEqual({
      id: expect.stringMatching(/^file-\d+$/),
      object: 'file',
      bytes: 18,
      created_at: expect.any(Number),
      expires_at: file.created_at + DAY,
      filename: 'Plan.txt',
      purpose: 'user_data',
      status: 'processed',
      status_details: null,
    });
    expect(await client.data(`/files/${file.id}`)).toEqual(file);
    const bytes = await client.send(`/files/${file.id}/content`, { headers: { accept: 'application/binary' } });
    expect([bytes.status, bytes.text]).toEqual([200, content]);
    expect(bytes.headers.get('content-disposition')).toBe('attachment; filename="Plan.txt"');
    expect(bytes.headers.get('x-content-type-options')).toBe('nosniff');
    expect(bytes.headers.get('content-security-policy')).toContain('sandbox');
    const deleted = { id: file.id, object: 'file', deleted: true };
    expect(await client.data(`/files/${file.id}`, { method: 'DELETE' })).toEqual(deleted);
    expectOpenAiFailure(await client.send(`/files/${file.id}`), 404, 'FILE_NOT_FOUND');
    expect((await client.upload()).expires_at).toBeUndefined();
  });

  it.each([
    ['an unknown purpose', { fields: { purpose: 'fine-tune' } }, 400, 'invalid_value', 'purpose'],
    ['no purpose', { fields: {} }, 400, 'missing_required_parameter', 'purpose'],
    [
      'a life that is too short',
      { fields: { purpose: 'vision', 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '60' } },
      400,
      'invalid_value',
      'expires_after.seconds',
    ],
    [
      'no anchor',
      { fields: { purpose: 'vision', 'expires_after[seconds]': '3600' } },
      400,
      'missing_required_parameter',
      'expires_after.anchor',
    ],
    ['no content', { content: '' }, 400, 'empty_file', null],
    ['too much content', { content: randomBytes(MIB + 1) }, 413, 'file_too_large', null],
    ['another field', { field: 'data' }, 400, 'invalid_multipart', null],
  ])('are refused with %s, and nothing is kept', async (_name, sent, status, code, param) => {
    expectOpenAiFailure(await client.sendFile(sent), status, code, param);
    expect(await client.ids('/files')).toEqual([]);
  });

  it.each(['7', 'file-', 'file-0', 'file-07', 'file-99999999999', 'vs_7', 'file-%00', 'FILE-1'])(
    'are not found by the malformed id %s',
    async (id) => {
      expectOpenAiFailure(await client.send(`/files/${id}`), 404, 'FILE_NOT_FOUND');
      expectOpenAiFailure(await client.send(`/files/${id}`, { method: 'DELETE' }), 404, 'FILE_NOT_FOUND');
    },
  );

  it('are listed in pages, by purpose and in both orders', async () => {
    const files: OpenAiFileDto[] = [];
    for (const purpose of ['assistants', 'vision', 'assistants', 'assistants']) {
      files.push(await client.upload({ fields: { purpose } }));
    }
    const [one, two, three, four] = files.map(({ id }) => id);
    expect(await client.data('/files')).toEqual({
      object: 'list',
      data: files.toReversed(),
      first_id: four,
      last_id: one,
      has_more: false,
    });
    expect(await client.ids('/files?order=asc&purpose=assistants')).toEqual([one, three, four]);
    const first = await client.data<CursorPageBody<OpenAiFileDto>>('/files?limit=3');
    expect([first.data.map(({ id }) => id), first.has_more]).toEqual([[four, three, two], true]);
    const next = await client.data<CursorPageBody<OpenAiFileDto>>(`/files?limit=3&after=${first.last_id}`);
    expect([next.data.map(({ id }) => id), next.has_more]).toEqual([[one], false]);
    expect(await client.ids(`/files?limit=2&before=${one}`)).toEqual([three, two]);
    expect(await client.ids(`/files?limit=2&order=asc&before=${four}`)).toEqual([two, three]);
    expect(await client.ids(`/files?after=${four}&before=${one}`)).toEqual([three, two]);
    expect(await client.data('/files?purpose=evals')).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
    const other = await (await OpenAiKnowledge.of(app)).upload();
    for (const cursor of [other.id, 'file-999999', 'seven', two]) {
      const page = await client.send(`/files?purpose=assistants&after=${cursor}`);
      expectOpenAiFailure(page, 400, 'invalid_value', 'after');
    }
    expectOpenAiFailure(await client.send('/files?before=vs_1'), 400, 'invalid_value', 'before');
    expectOpenAiFailure(await client.send('/files?limit=10001'), 400, 'invalid_value', 'limit');
  });

  it('are readable with a shared store, and only their owner deletes them', async () => {
    const reader = await OpenAiKnowledge.of(app);
    const admin = await OpenAiKnowledge.of(app, { userType: 'admin' });
    const file = await admin.upload({ content: 'shared' });
    const store = await admin.createStore();
    await admin.attach(store.id, file.id);
    expectOpenAiFailure(await reader.send(`/files/${file.id}`), 404, 'FILE_NOT_FOUND');
    await admin.native.data(`/knowledge/${rowOf(store.id)}`, {
      method: 'PUT',
      body: { access: { everyone: 'reader', groups: [] } },
    });
    expect(await reader.data(`/files/${file.id}`)).toEqual(file);
    expect((await reader.send(`/files/${file.id}/content`)).text).toBe('shared');
    expect(await reader.ids('/files')).toEqual([]);
    const refused = await reader.send(`/files/${file.id}`, { method: 'DELETE' });
    expectOpenAiFailure(refused, 403, 'KNOWLEDGE_ROLE_REQUIRED');
  });

  it('are stored once for each key, and count against a budget of their own', async () => {
    const headers = { 'idempotency-key': 'file-key' };
    const [first, second] = await Promise.all([client.sendFile({ headers }), client.sendFile({ headers })]);
    expect(second.body).toEqual(first.body);
    expect(first.headers.get('x-ratelimit-limit')).toBe('300');
    const changed = await client.sendFile({ headers, content: 'other' });
    expectOpenAiFailure(changed, 409, 'IDEMPOTENCY_CONFLICT');
    expect(changed.headers.get('x-should-retry')).toBe('false');
    expect(await client.ids('/files')).toHaveLength(1);
  });

  it('need the scope of this API', async () => {
    const { body } = await client.native.send('/user/api-keys', {
      body: { name: 'other', scopes: ['knowledge:read', 'knowledge:write'] },
    });
    const { key } = body as unknown as { key: string };
    expectOpenAiFailure(await client.send('/files', { token: key }), 403, 'SCOPE_REQUIRED');
    expectOpenAiFailure(await client.send('/vector_stores', { token: key }), 403, 'SCOPE_REQUIRED');
  });

  describe('sent in parts', () => {
    const NEW = { bytes: 10, filename: 'big.txt', mime_type: 'text/plain', purpose: 'assistants' };

    const begin = (body: object = {}): Promise<OpenAiUploadDto> =>
      client.data('/uploads', { body: { ...NEW, ...body } });
    const sendPart = (id: string, content: string, headers = {}) =>
      client.sendFile({ field: 'data', content, fields: {}, headers }, `/uploads/${id}/parts`);
    const part = async (id: string, content: string): Promise<string> => (await sendPart(id, content)).body.id;
    const complete = (id: string, body: object) => client.send(`/uploads/${id}/complete`, { body });

    it('are joined in the order of the client', async () => {
      const upload = await begin({ expires_after: { anchor: 'created_at', seconds: 3_600 } });
      expect(upload).toEqual({
        id: expect.stringMatching(/^upload_\d+$/),
        object: 'upload',
        bytes: 10,
        created_at: expect.any(Number),
        expires_at: upload.created_at + 3_600,
        filename: 'big.txt',
        purpose: 'assistants',
        status: 'pending',
        file: null,
      });
      const last = await sendPart(upload.id, 'world');
      expect(last.headers.get('x-ratelimit-limit')).toBe('300');
      expect(last.body as unknown as OpenAiUploadPartDto).toEqual({
        id: expect.stringMatching(/^part_\d+$/),
        object: 'upload.part',
        created_at: expect.any(Number),
        upload_id: upload.id,
      });
      const first = await part(upload.id, 'hello');
      const body = { part_ids: [first, last.body.id], md5: createHash('md5').update('helloworld').digest('hex') };
      const completed = await complete(upload.id, body);
      const { file } = completed.body as OpenAiUploadDto;
      expect(completed.body).toEqual({ ...upload, status: 'completed', file });
      expect(file).toMatchObject({ object: 'file', bytes: 10, filename: 'big.txt', expires_at: expect.any(Number) });
      expect((await client.send(`/files/${file?.id}/content`)).text).toBe('helloworld');
      expect((await complete(upload.id, body)).body).toEqual(completed.body);
      expectOpenAiFailure(await complete(upload.id, { part_ids: [first] }), 400, 'invalid_upload_state');
      expectOpenAiFailure(await sendPart(upload.id, 'more'), 400, 'invalid_upload_state');
      const cancelling = await client.send(`/uploads/${upload.id}/cancel`, { method: 'POST' });
      expectOpenAiFailure(cancelling, 400, 'invalid_upload_state');
    });

    it('stay pending after a faulty completion', async () => {
      const { id } = await begin();
      const whole = await part(id, 'helloworld');
      expectOpenAiFailure(await sendPart(id, 'x'), 400, 'invalid_value', 'data');
      for (const ids of [[], [whole, whole], ['part_999999'], ['seven'], [whole, 'part_999999']]) {
        expectOpenAiFailure(await complete(id, { part_ids: ids }), 400, 'invalid_value', 'part_ids');
      }
      expectOpenAiFailure(await complete(id, { part_ids: [whole], md5: 'ff' }), 400, 'invalid_value', 'md5');
      expectOpenAiFailure(await complete(id, {}), 400, 'missing_required_parameter', 'part_ids');
      expect((await complete(id, { part_ids: [whole] })).status).toBe(200);
    });

    it('repeat each request with the same key', async () => {
      const key = (name: string) => ({ 'idempotency-key': `upload-${name}` });
      const start = () => client.send<OpenAiUploadDto>('/uploads', { body: NEW, headers: key('new') });
      const [one, two] = [await start(), await start()];
      expect(two.body).toEqual(one.body);
      const { id } = one.body;
      const parts = await Promise.all([1, 2, 3].map(() => sendPart(id, 'hello', key('part'))));
      expect(new Set(parts.map(({ text }) => text)).size).toBe(1);
      expectOpenAiFailure(await sendPart(id, 'world', key('part')), 409, 'IDEMPOTENCY_CONFLICT');
      const stop = () => client.send(`/uploads/${id}/cancel`, { method: 'POST', headers: key('cancel') });
      const stopped = await stop();
      expect(stopped.body).toMatchObject({ status: 'cancelled', file: null });
      expect((await stop()).text).toBe(stopped.text);
    });

    it('are refused beyond the limits, and belong to their sender', async () => {
      const large = await client.send('/uploads', { body: { ...NEW, bytes: MIB + 1 } });
      expectOpenAiFailure(large, 413, 'file_too_large');
      for (const [field, value] of [
        ['bytes', 0],
        ['purpose', 'batch'],
      ] as const) {
        const refused = await client.send('/uploads', { body: { ...NEW, [field]: value } });
        expectOpenAiFailure(refused, 400, 'invalid_value', field);
      }
      const { id } = await begin();
      const other = await OpenAiKnowledge.of(app);
      const part = { field: 'data', fields: {} };
      for (const answer of [
        await other.sendFile(part, `/uploads/${id}/parts`),
        await other.send(`/uploads/${id}/complete`, { body: { part_ids: [] } }),
        await other.send(`/uploads/${id}/cancel`, { method: 'POST' }),
      ]) {
        expectOpenAiFailure(answer, 404, 'UPLOAD_NOT_FOUND');
      }
      expectOpenAiFailure(await client.send('/uploads/seven/cancel', { method: 'POST' }), 404, 'UPLOAD_NOT_FOUND');
    });
  });
});
