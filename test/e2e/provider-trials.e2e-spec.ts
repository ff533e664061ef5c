import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { Page } from '../../src/common/envelope/page.dto';
import type { ListedModelDto, ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import type { ProviderTestResultDto } from '../../src/modules/admin/providers/provider-test.dto';
import { newcomer } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnChatApp } from '../support/use-app';
import { createProvider, KEY } from './provider-requests';

describe('model providers', () => {
  const app = useOwnChatApp();
  const admin = useAdmin(app);
  const create = (overrides?: object) => createProvider(app, admin, overrides);

  describe('tested by an administrator', () => {
    it('return their answer', async () => {
      const { id, name } = await create();
      const { data } = (await admin.post<ProviderTestResultDto>(`/admin/providers/${id}/test`)).body;
      expect(data).toMatchObject({
        ok: true,
        provider: name,
        host: `127.0.0.1:${app.model.port}`,
        status: 200,
        code: null,
        message: null,
        content: expect.stringMatching(/\S/),
        duration_ms: expect.any(Number),
      });
      const demo = (await admin.post<ProviderTestResultDto>('/admin/providers/demo/test')).body.data;
      expect(demo).toMatchObject({ ok: true, provider: 'demo', host: null, status: null });
    });

    it.each([
      [401, `{"error":{"message":"Wrong key ${KEY}."}}`, 'Wrong key [key].'],
      [404, '{"error":"model \'x\' not found"}', "model 'x' not found"],
      [403, `Authorization: Bearer ${KEY} sk-abcdef123456`, 'Authorization: Bearer [key] [key]'],
    ])('return %i with their message, without keys', async (status, body, message) => {
      const { id, name } = await create();
      const content = uniqueContent();
      await app.model.script({ key: content, status, body });
      const answer = await admin.post<ProviderTestResultDto>(`/admin/providers/${id}/test`, { content });
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({
        ok: false,
        provider: name,
        model: 'managed',
        host: `127.0.0.1:${app.model.port}`,
        status,
        code: 'PROVIDER_ERROR',
        message,
        content: null,
      });
      const read = (await admin.get<ProviderDto>(`/admin/providers/${id}`)).body.data;
      expect(read.last_outcome).toMatchObject({ ok: false, status, code: 'PROVIDER_ERROR', message });
    });

    it('report a refused connection', async () => {
      const { id } = await create({ base_url: 'http://127.0.0.1:9/v1' });
      const { data } = (await admin.post<ProviderTestResultDto>(`/admin/providers/${id}/test`)).body;
      expect(data).toMatchObject({
        ok: false,
        host: '127.0.0.1:9',
        status: null,
        code: 'PROVIDER_UNAVAILABLE',
        message: expect.stringContaining('ECONNREFUSED'),
      });
    });

    it('show an API key the status and the type of a failure, and no message from an internal server', async () => {
      const { key: token } = await makeKey(app, admin.account.token, { scopes: ['admin:read', 'admin:write'] });
      const path = `/${randomUUID()}`;
      const words = 'inner-secret-words';
      await app.model.list(`${path}/v1/models`, { status: 403, body: words });
      const { id, name } = await create({ base_url: `${app.model.anthropicUrl}${path}/v1` });
      const refused = { status: 403, reason: 'key_refused' };
      const content = uniqueContent();
      await app.model.script({ key: content, status: 403, body: words });
      const byKey = <Body>(method: string, route: string, body?: object) =>
        call<{ data: Body }>(`${app.url}${route}`, { token, method, body });
      const own = await create();
      const named = `/${randomUUID()}`;
      await app.model.list(`${named}/v1/models`, { status: 200, body: JSON.stringify({ data: [{ id: words }] }) });
      const listing = await create({ base_url: `${app.model.anthropicUrl}${named}/v1` });
      expect((await admin.get(`/admin/providers/${listing.id}/models`)).text).toContain(words);
      const answered = uniqueContent();
      await app.model.script({ key: answered, steps: [{ text: words }] });
      const answers = {
        list: await byKey<unknown>('GET', `/admin/providers/${id}/models`),
        listed: await byKey<unknown>('GET', `/admin/providers/${listing.id}/models`),
        test: await byKey<ProviderTestResultDto>('POST', `/admin/providers/${own.id}/test`, { content }),
        answer: await byKey<ProviderTestResultDto>('POST', `/admin/providers/${own.id}/test`, {
          content: answered,
        }),
        model: await byKey<unknown>('POST', '/admin/models/test', { content, provider: own.name }),
        read: await byKey<ProviderDto>('GET', `/admin/providers/${id}`),
        all: await byKey<unknown>('GET', `/admin/providers?q=${name}`),
        file: await byKey<unknown>('GET', `/admin/providers?q=${name}&format=csv`),
      };
      for (const { text } of Object.values(answers)) {
        expect(text).not.toContain(words);
      }
      expect(answers.test.body.data).toMatchObject({ ok: false, code: 'PROVIDER_ERROR', message: null, ...refused });
      expect(answers.answer.body.data).toMatchObject({ ok: true, status: 200, content: null, reason: null });
      expect(answers.listed.status).toBe(200);
      expect(answers.read.body.data.last_outcome).toMatchObject({ ok: false, message: null, ...refused });
      expect(expectFailure(answers.list, 502, 'PROVIDER_ERROR').details).toMatchObject({ message: null, ...refused });
      expect(expectFailure(answers.model, 502, 'PROVIDER_ERROR').details).toMatchObject({ message: null, ...refused });
      const seen = (await admin.get<ProviderDto>(`/admin/providers/${id}`)).body.data;
      expect(seen.last_outcome).toMatchObject({ message: words, ...refused });
    });

    it('require the name of a model if they have no default', async () => {
      const { id } = await create({ model: null });
      expectFailure(await admin.post(`/admin/providers/${id}/test`), 422, 'VALIDATION_ERROR');
      expect((await admin.post(`/admin/providers/${id}/test`, { model: 'm' })).status).toBe(200);
      expectFailure(await admin.post('/admin/providers/999999/test'), 404, 'PROVIDER_NOT_FOUND');
    });
  });

  describe('queried for their models', () => {
    const list = (reference: number | string) =>
      admin.get<Page<ListedModelDto>>(`/admin/providers/${reference}/models`);

    it('list them by name', async () => {
      const path = `/${randomUUID()}`;
      await app.model.list(`${path}/v1/models`, { body: '{"data":[{"id":"b"},{"id":"a"},{"no":"id"},null]}' });
      const { id } = await create({ base_url: `${app.model.anthropicUrl}${path}/v1` });
      const pagination = { page: 1, size: 2, total: 2, pages: 1 };
      expect((await list(id)).body.data).toEqual({ items: [{ id: 'a' }, { id: 'b' }], pagination });
      expect((await list('demo')).body.data.items).toEqual([{ id: 'demo' }]);
    });

    it('are paged through', async () => {
      const path = `/${randomUUID()}`;
      const page = { data: [{ id: 'one' }], has_more: true, last_id: 'one' };
      await app.model.list(`${path}/v1/models?limit=1000&after_id=one`, { body: '{"data":[{"id":"two"}]}' });
      await app.model.list(`${path}/v1/models`, { body: JSON.stringify(page) });
      const { id } = await create({ kind: 'anthropic', base_url: `${app.model.anthropicUrl}${path}` });
      expect((await list(id)).body.data.items).toEqual([{ id: 'one' }, { id: 'two' }]);
    });

    it.each([
      [{ status: 401, body: `no ${KEY}` }, 502, 'PROVIDER_ERROR', 401],
      [{ status: 503, body: 'busy' }, 503, 'PROVIDER_UNAVAILABLE', 503],
      [{ body: '<html>' }, 502, 'PROVIDER_ERROR', null],
      [{ body: '{}' }, 502, 'PROVIDER_ERROR', null],
      [{ body: ' '.repeat(9_000_000) }, 502, 'PROVIDER_ERROR', null],
    ])('report the reason of a failure (case %#)', async (answer, status, code, providerStatus) => {
      const path = `/${randomUUID()}`;
      await app.model.list(`${path}/v1/models`, answer);
      const { id } = await create({ base_url: `${app.model.anthropicUrl}${path}/v1` });
      const failed = await list(id);
      const { details } = expectFailure(failed, status, code);
      expect(details).toMatchObject({ host: `127.0.0.1:${app.model.port}`, status: providerStatus });
      expect(failed.text).not.toContain('hidden-key');
    });
  });

  describe('distinguish', () => {
    const read = async (id: number): Promise<Pick<ProviderDto, 'reachable' | 'answered_at'>> => {
      const { reachable, answered_at } = (await admin.get<ProviderDto>(`/admin/providers/${id}`)).body.data;
      return { reachable, answered_at };
    };
    const listing = async (answer: Parameters<typeof app.model.list>[1]): Promise<string> => {
      const path = `/${randomUUID()}`;
      await app.model.list(`${path}/v1/models`, answer);
      return `${app.model.anthropicUrl}${path}/v1`;
    };

    it('that their list was read, and that they returned a reply', async () => {
      const { id } = await create({ base_url: await listing({ body: '{"data":[{"id":"managed"}]}' }) });
      await eventually(async () => (await read(id)).reachable === true);
      expect(await read(id)).toEqual({ reachable: true, answered_at: null });
      const before = new Date().toISOString();
      expect((await admin.post<ProviderTestResultDto>(`/admin/providers/${id}/test`)).body.data.ok).toBe(true);
      const { reachable, answered_at } = await read(id);
      expect([reachable, answered_at !== null && answered_at >= before]).toEqual([true, true]);
    });

    it('that their list cannot be read', async () => {
      for (const base_url of ['http://127.0.0.1:9/v1', await listing({ status: 401, body: 'no' })]) {
        const { id } = await create({ base_url });
        await eventually(async () => (await read(id)).reachable !== null);
        expect(await read(id)).toEqual({ reachable: false, answered_at: null });
      }
    });

    it('neither if they have no list, until they reply', async () => {
      const { id } = await create();
      expectFailure(await admin.get(`/admin/providers/${id}/models`), 502, 'PROVIDER_ERROR');
      expect(await read(id)).toEqual({ reachable: null, answered_at: null });
      await admin.post(`/admin/providers/${id}/test`);
      expect(await read(id)).toEqual({ reachable: null, answered_at: expect.any(String) });
    });

    it('the result of a later list query', async () => {
      const path = `/${randomUUID()}`;
      const models = `${path}/v1/models`;
      await app.model.list(models, { status: 500, body: 'oh' });
      const { id } = await create({ base_url: `${app.model.anthropicUrl}${path}/v1` });
      await eventually(async () => (await read(id)).reachable === false);
      await app.model.list(models, { body: '{"data":[]}' });
      expect((await admin.get(`/admin/providers/${id}/models`)).status).toBe(200);
      expect(await read(id)).toEqual({ reachable: true, answered_at: null });
    });
  });

  it('that are switched off answer no request, and fallback models are used', async () => {
    const { id, name } = await create();
    const body = { name: newcomer().username, provider: name, fallback_models: ['demo:demo'] };
    const agent = await admin.post<{ id: number }>('/agents', body);
    await admin.put(`/admin/providers/${id}`, { is_active: false });
    const client = await app.newClient();
    const chat = await client.createChat({ agent_id: agent.body.data.id });
    const content = uniqueContent();
    expect((await client.send(chat.id, content)).status).toBe(200);
    expect(await app.model.requests(content)).toEqual([]);
    const tried = await admin.post<ProviderTestResultDto>(`/admin/providers/${id}/test`);
    expect(tried.body.data).toMatchObject({ ok: false, code: 'PROVIDER_UNAVAILABLE', status: null });
  });

  it('are tested once when they are new, and the result is logged', async () => {
    const said: string[] = [];
    for (const level of ['log', 'warn'] as const) {
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((...parts: unknown[]) => void said.push(JSON.stringify(parts)));
    }
    const at = async (answer: Parameters<typeof app.model.list>[1]): Promise<string> => {
      const path = `/${randomUUID()}`;
      await app.model.list(`${path}/v1/models`, answer);
      return `${app.model.anthropicUrl}${path}/v1`;
    };
    const found = { body: '{"data":[{"id":"managed"}]}' };
    for (const [overrides, sentence] of [
      [{ base_url: await at(found) }, /"model":"managed".*can be reached/],
      [{ base_url: await at(found), model: 'absent' }, /"model":"absent".*does not list the model/],
      [
        { base_url: await at({ status: 401, body: `no ${KEY}` }) },
        /"status":401,"answer":"no \[key\]".*refuses the key/,
      ],
      [{ base_url: await at({ status: 500, body: 'oh' }) }, /"status":500,"answer":"oh".*fails/],
      [{ base_url: 'http://127.0.0.1:9/v1' }, /ECONNREFUSED.*cannot be reached/],
      [{}, /lists no models/],
    ] as const) {
      const { name } = await create(overrides);
      const lines = () => said.filter((line) => line.includes(`"${name}"`));
      await eventually(() => lines().length > 0);
      expect(lines()).toEqual([expect.stringMatching(sentence)]);
    }
  });
});
