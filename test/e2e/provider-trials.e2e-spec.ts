import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { ListedModelsDto, ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import type { ProviderTestResultDto } from '../../src/modules/admin/providers/provider-test.dto';
import { newcomer } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { useAdmin, useOwnChatApp } from '../support/use-app';
import { createProvider, KEY } from './provider-requests';

describe('model providers', () => {
  const app = useOwnChatApp();
  const admin = useAdmin(app);
  const create = (overrides?: object) => createProvider(app, admin, overrides);

  describe('tried by an administrator', () => {
    it('tell what they answered', async () => {
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
    ])('tell with %i what they said, without keys', async (status, body, message) => {
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

    it('say that nobody answers', async () => {
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

    it('require the name of a model if they have no default', async () => {
      const { id } = await create({ model: null });
      expectFailure(await admin.post(`/admin/providers/${id}/test`), 422, 'VALIDATION_ERROR');
      expect((await admin.post(`/admin/providers/${id}/test`, { model: 'm' })).status).toBe(200);
      expectFailure(await admin.post('/admin/providers/999999/test'), 404, 'PROVIDER_NOT_FOUND');
    });
  });

  describe('asked for their models', () => {
    const list = (reference: number | string) => admin.get<ListedModelsDto>(`/admin/providers/${reference}/models`);

    it('list them by name', async () => {
      const path = `/${randomUUID()}`;
      await app.model.list(`${path}/v1/models`, { body: '{"data":[{"id":"b"},{"id":"a"},{"no":"id"},null]}' });
      const { id } = await create({ base_url: `${app.model.anthropicUrl}${path}/v1` });
      expect((await list(id)).body.data).toEqual({ items: [{ id: 'a' }, { id: 'b' }] });
      expect((await list('demo')).body.data).toEqual({ items: [{ id: 'demo' }] });
    });

    it('are followed from page to page', async () => {
      const path = `/${randomUUID()}`;
      const page = { data: [{ id: 'one' }], has_more: true, last_id: 'one' };
      await app.model.list(`${path}/v1/models?limit=1000&after_id=one`, { body: '{"data":[{"id":"two"}]}' });
      await app.model.list(`${path}/v1/models`, { body: JSON.stringify(page) });
      const { id } = await create({ kind: 'anthropic', base_url: `${app.model.anthropicUrl}${path}` });
      expect((await list(id)).body.data).toEqual({ items: [{ id: 'one' }, { id: 'two' }] });
    });

    it.each([
      [{ status: 401, body: `no ${KEY}` }, 502, 'PROVIDER_ERROR', 401],
      [{ status: 503, body: 'busy' }, 503, 'PROVIDER_UNAVAILABLE', 503],
      [{ body: '<html>' }, 502, 'PROVIDER_ERROR', null],
      [{ body: '{}' }, 502, 'PROVIDER_ERROR', null],
      [{ body: ' '.repeat(9_000_000) }, 502, 'PROVIDER_ERROR', null],
    ])('say why they do not (case %#)', async (answer, status, code, providerStatus) => {
      const path = `/${randomUUID()}`;
      await app.model.list(`${path}/v1/models`, answer);
      const { id } = await create({ base_url: `${app.model.anthropicUrl}${path}/v1` });
      const failed = await list(id);
      const { details } = expectFailure(failed, status, code);
      expect(details).toMatchObject({ host: `127.0.0.1:${app.model.port}`, status: providerStatus });
      expect(failed.text).not.toContain('hidden-key');
    });
  });

  it('that are switched off answer nobody, and fallback models stand in', async () => {
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

  it('are tried once when they are new, and the log says what was found', async () => {
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
      [{ base_url: await at(found) }, /"model":"managed".*works/],
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
