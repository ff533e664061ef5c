import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NameResolver } from '../../src/common/network/name-resolver';
import { Database } from '../../src/database/database';
import { ManagedProviderEntity } from '../../src/integrations/llm/providers/managed-provider.entity';
import { ProviderDirectory } from '../../src/integrations/llm/providers/provider-directory';
import type { ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import type { ProviderTestResultDto } from '../../src/modules/admin/providers/provider-test.dto';
import { expectFailure } from '../support/http';
import { useAdmin, useChatApp, useOwnChatApp } from '../support/use-app';
import { createProvider, KEY, providerFields } from './provider-requests';

/** 169.254.169.254 in all its notations. */
const LINK_LOCAL = [
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.16689662',
  '169.254.169.254.',
  '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
  '169.254.0.7:8080',
  '[fe80::1]',
  '[febf:ffff::1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[::169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::1]',
  '[fd00:ec2::254]',
  '168.63.129.16',
  'metadata.google.internal',
  'METADATA.google.internal.',
  'metadata',
];

describe('addresses of model providers', () => {
  const servers: Server[] = [];

  afterAll(() => servers.forEach((server) => server.close()));

  /** A server on this machine, and the requests it received. */
  async function listen(answer: RequestListener): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
      request.resume().on('end', () => answer(request, response));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  describe('in the link-local range', () => {
    const app = useOwnChatApp();
    const admin = useAdmin(app);
    const resolved = (addresses: string[]) =>
      jest.spyOn(app.app.get(NameResolver, { strict: false }), 'resolveInner').mockResolvedValue(addresses);

    afterEach(() => jest.restoreAllMocks());

    it.each(LINK_LOCAL)('are refused when they are written as %s', async (host) => {
      const base_url = `http://${host}/v1`;
      const fields = providerFields(app, { base_url });
      const refused = expectFailure(await admin.post('/admin/providers', fields), 422, 'VALIDATION_ERROR');
      expect(refused.details).toMatchObject({ field: 'base_url', reason: 'not_allowed' });
      const present = await createProvider(app, admin);
      const change = { base_url, api_key: 'its-own-key' };
      expectFailure(await admin.put(`/admin/providers/${present.id}`, change), 422, 'VALIDATION_ERROR');
      const { data } = (await admin.get<ProviderDto>(`/admin/providers/${present.id}`)).body;
      expect(data.base_url).toBe(present.base_url);
    });

    it.each([[['169.254.169.254']], [['203.0.113.7', 'fe80::1']], [['::ffff:169.254.1.1']]])(
      'are refused for a name that may resolve to them later: %j',
      async (addresses) => {
        const base_url = 'http://models.example.com/v1';
        const resolve = resolved(addresses);
        const fields = providerFields(app, { base_url });
        expectFailure(await admin.post('/admin/providers', fields), 422, 'VALIDATION_ERROR');
        // An unresolvable name is accepted: its server may start later.
        resolve.mockResolvedValue([]);
        const { id } = await createProvider(app, admin, { base_url });
        resolve.mockResolvedValue(addresses);
        const { data } = (await admin.post<ProviderTestResultDto>(`/admin/providers/${id}/test`)).body;
        expect(data).toMatchObject({ ok: false, status: null, message: expect.stringContaining('link-local') });
        const listed = expectFailure(await admin.get(`/admin/providers/${id}/models`), 503, 'PROVIDER_UNAVAILABLE');
        expect(listed.details.message).toContain('link-local');
      },
    );

    it('are not called when they are in the database already', async () => {
      const { id } = await createProvider(app, admin);
      await app.app
        .get(Database)
        .write((manager) => manager.update(ManagedProviderEntity, { id }, { baseUrl: 'http://169.254.169.254/v1' }));
      await app.app.get(ProviderDirectory).changed();
      const { data } = (await admin.post<ProviderTestResultDto>(`/admin/providers/${id}/test`)).body;
      expect(data).toMatchObject({ ok: false, status: null, message: expect.stringContaining('link-local') });
      expect(data.duration_ms).toBeLessThan(5_000);
    });

    it('are not reached by a redirect, and the key is not sent on', async () => {
      const elsewhere = await listen((_request, response) => response.end('{"data":[]}'));
      const gate = await listen((_request, response) =>
        response.writeHead(307, { location: `${elsewhere.url}/v1` }).end(),
      );
      const { id } = await createProvider(app, admin, { base_url: `${gate.url}/v1` });
      const { data } = (await admin.post<ProviderTestResultDto>(`/admin/providers/${id}/test`)).body;
      expect(data).toMatchObject({ ok: false, status: 307 });
      expectFailure(await admin.get(`/admin/providers/${id}/models`), 502, 'PROVIDER_ERROR');
      expect(gate.asked).toEqual(
        expect.arrayContaining([`POST /v1/chat/completions Bearer ${KEY}`, `GET /v1/models Bearer ${KEY}`]),
      );
      expect(elsewhere.asked).toEqual([]);
    });
  });

  describe('outside PROVIDER_ALLOWED_HOSTS', () => {
    const app = useChatApp({ PROVIDER_ALLOWED_HOSTS: '127.0.0.1, .models.example.com, 10.0.0.0/8' });
    const admin = useAdmin(app);

    afterEach(() => jest.restoreAllMocks());

    it.each([
      [{ base_url: 'https://api.openai.com/v1' }],
      [{ base_url: 'http://192.168.0.1/v1' }],
      [{ base_url: 'http://models.example.com.evil.example/v1' }],
      [{ kind: 'anthropic', base_url: null }],
    ])('are refused: %j', async (overrides) => {
      const refused = await admin.post('/admin/providers', providerFields(app, overrides));
      const { details } = expectFailure(refused, 422, 'VALIDATION_ERROR');
      expect(details).toMatchObject({ field: 'base_url', reason: 'not_allowed' });
      const present = await createProvider(app, admin);
      const change = await admin.put(`/admin/providers/${present.id}`, { ...overrides, api_key: 'its-own-key' });
      expectFailure(change, 422, 'VALIDATION_ERROR');
    });

    it.each([
      ['http://a.models.example.com:8000/v1', ['192.0.2.1'], 201],
      ['http://10.9.8.7/v1', [], 201],
      ['http://named.example.com/v1', ['10.9.8.7'], 201],
      ['http://named.example.com/v1', ['10.9.8.7', '203.0.113.7'], 422],
      ['http://named.example.com/v1', [], 422],
      ['http://a.models.example.com/v1', ['169.254.1.1'], 422],
    ])('is, or is not, %s with the addresses %j', async (base_url, addresses, status) => {
      const resolver = app.app.get(NameResolver, { strict: false });
      jest.spyOn(resolver, 'resolveInner').mockResolvedValue(addresses);
      const answer = await admin.post('/admin/providers', providerFields(app, { base_url, is_active: false }));
      expect(answer.status).toBe(status);
    });

    it('does not include the scripted model, which answers', async () => {
      const { id } = await createProvider(app, admin);
      const { data } = (await admin.post<ProviderTestResultDto>(`/admin/providers/${id}/test`)).body;
      expect(data).toMatchObject({ ok: true });
    });
  });
});
