import type { Page } from '../../src/common/envelope/page.dto';
import { ResilienceSettings } from '../../src/integrations/llm/providers/resilience';
import { type AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import type { ModelProviderDto, ModelTestResultDto } from '../../src/modules/admin/models/models.dto';
import { type PlanDto } from '../../src/modules/admin/settings/plan.dto';
import { type SettingsDto } from '../../src/modules/admin/settings/settings.dto';
import { type WebhookDto } from '../../src/modules/webhook/management/webhook.dto';
import { createUser, newcomer, receiveCode } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { call, expectFailure } from '../support/http';
import { type ModelServer, startModelServer } from '../support/model-server/model-server';
import { startTestApp, type TestApp } from '../support/test-app';

describe('settings of the installation', () => {
  let app: TestApp;
  let model: ModelServer;
  let admin: AdminClient;

  beforeAll(async () => {
    model = await startModelServer();
    app = await startTestApp({
      QUOTA_FREE_MESSAGES: '50',
      QUOTA_FREE_TOKENS: '100000',
      LLM_BASE_URL: model.openAiUrl,
      LLM_API_KEY: 'sk-nobody-may-see-this',
      LLM_MODEL: 'scripted',
    });
    app.app.get(ResilienceSettings).retryDelays = [1, 1];
    admin = await AdminClient.of(app);
  });

  afterAll(async () => {
    await app.close();
    await model.close();
  });

  describe('plans', () => {
    it('come from the configuration first', async () => {
      const { data } = (await admin.get<PlanDto>('/admin/plans/free')).body;
      expect(data).toMatchObject({
        membership_type: 'free',
        messages_per_day: 50,
        tokens_per_day: 100_000,
        storage_bytes: 104_857_600,
        embedding_tokens: 1_000_000,
        updated_at: expect.any(String),
      });
    });

    it("change the users' limits immediately, and only the given fields", async () => {
      const { token } = await createUser(app, { membershipType: 'monthly' });
      const limits = async () => {
        const { body } = await call<Record<'messages' | 'tokens', { limit: number | null }>>(`${app.url}/user/quota`, {
          token,
        });
        return [body.messages.limit, body.tokens.limit];
      };
      const [, tokens] = await limits();
      const changed = await admin.put<PlanDto>('/admin/plans/monthly', { messages_per_day: 3 });
      expect(changed.body.data).toMatchObject({ membership_type: 'monthly', messages_per_day: 3 });
      expect(await limits()).toEqual([3, tokens]);
      await admin.put('/admin/plans/monthly', { messages_per_day: null, tokens_per_day: 0 });
      expect(await limits()).toEqual([null, 0]);
    });

    it.each([
      [{}, 'body'],
      [{ membership_type: 'free' }, 'body'],
      [{ messages_per_day: -1 }, 'messages_per_day'],
    ])('refuse what breaks a rule (case %#)', async (body, field) => {
      const error = expectFailure(await admin.put('/admin/plans/yearly', body), 422, 'VALIDATION_ERROR');
      expect(error.details.field).toBe(field);
    });

    it('have no other names', async () => {
      expectFailure(await admin.get('/admin/plans/gold'), 400, 'VALIDATION_ERROR');
      expectFailure(await admin.put('/admin/plans/gold', { messages_per_day: 1 }), 400, 'VALIDATION_ERROR');
    });
  });

  describe('registration', () => {
    afterEach(() => admin.put('/admin/settings', { registration_enabled: true, allowed_email_domains: [] }));

    const askForCode = (email: string) => call(`${app.url}/auth/send_code`, { body: { email, purpose: 'register' } });

    it('is open to all by default', async () => {
      const { data } = (await admin.get<SettingsDto>('/admin/settings')).body;
      expect(data).toMatchObject({
        registration_enabled: true,
        allowed_email_domains: [],
        api_key_max_days: null,
        sharing: 'users',
        password_login: 'everyone',
        first_steps: true,
        mcp_allowed_hosts: [],
      });
    });

    it('can be switched off immediately, even for users who already have a code', async () => {
      const registration = newcomer();
      const code = await receiveCode(app, registration.email, 'register');
      const off = await admin.put<SettingsDto>('/admin/settings', { registration_enabled: false });
      expect(off.body).toMatchObject({
        message: 'Settings saved.',
        data: { registration_enabled: false },
      });
      const answer = await call(`${app.url}/auth/register`, { body: { ...registration, code } });
      expectFailure(answer, 403, 'REGISTRATION_DISABLED');
      await admin.put('/admin/settings', { registration_enabled: true });
      expect((await call(`${app.url}/auth/register`, { body: { ...registration, code } })).status).toBe(200);
    });

    it('can be limited to some domains', async () => {
      const { body } = await admin.put<SettingsDto>('/admin/settings', {
        allowed_email_domains: [' Firm.Example.COM '],
      });
      expect(body.data).toMatchObject({ registration_enabled: true, allowed_email_domains: ['firm.example.com'] });
      const refused = await askForCode(newcomer().email);
      expectFailure(refused, 422, 'VALIDATION_ERROR');
      expect((await askForCode('someone@firm.example.com')).status).toBe(200);
    });

    it.each([
      [{}, 'body'],
      [{ allowed_email_domains: ['no domain'] }, 'allowed_email_domains'],
    ])('refuses what breaks a rule (case %#)', async (body, field) => {
      const error = expectFailure(await admin.put('/admin/settings', body), 422, 'VALIDATION_ERROR');
      expect(error.details.field).toBe(field);
    });
  });

  it('are changed one after the other, and the log has the old and the new value', async () => {
    const domains = [0, 1, 2, 3, 4, 5].map((index) => [`at-once-${index}.example`]);
    await Promise.all(domains.map((allowed_email_domains) => admin.put('/admin/settings', { allowed_email_domains })));
    const changes = await admin.items<AuditLogDto>('/admin/audit_logs?action=settings.update&size=6');
    const befores = changes.map(({ before }) => before?.allowed_email_domains);
    const afters = changes.map(({ after }) => after?.allowed_email_domains);
    expect(befores.slice(0, -1)).toEqual(afters.slice(1));
    expect(afters).toEqual(expect.arrayContaining(domains));
    await admin.put('/admin/settings', { allowed_email_domains: [] });
  });

  describe('models', () => {
    it('are listed with their state and without their keys', async () => {
      const { body, text } = await admin.get<Page<ModelProviderDto>>('/admin/models');
      const state = { is_configured: true, circuit: 'closed' };
      expect(body.data.items).toEqual([
        { ...state, provider: 'default', kind: 'openai-compatible', model: 'scripted', is_default: true },
        { ...state, provider: 'demo', kind: 'demo', model: 'demo', is_default: false },
      ]);
      expect(body.data.pagination).toEqual({ page: 1, size: 2, total: 2, pages: 1 });
      expect(text).not.toContain('sk-nobody');
    });

    it('can be tested', async () => {
      const answer = await admin.post<ModelTestResultDto>('/admin/models/test', { provider: 'demo', content: 'Hello' });
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({
        provider: 'demo',
        content: expect.stringMatching(/\S/),
        finish_reason: 'stop',
        completion_tokens: expect.any(Number),
        first_token_ms: expect.any(Number),
        duration_ms: expect.any(Number),
      });
      const { token } = admin.account;
      const { usage_by_day } = (await call<{ usage_by_day: object[] }>(`${app.url}/user/export`, { token })).body;
      expect(usage_by_day).toMatchObject([{ agent_id: null, model: 'demo', messages: 0, tokens: 0 }]);
    });

    it.each(['default', 'openai-compatible', null])('report how they fail, in the words of %s', async (provider) => {
      await model.script({ status: 401, body: '{"error":{"message":"sk-nobody-may-see-this is wrong"}}' });
      const answer = await admin.post('/admin/models/test', { provider });
      const { details } = expectFailure(answer, 502, 'PROVIDER_ERROR');
      expect(details).toEqual({
        provider: 'default',
        model: 'scripted',
        host: `127.0.0.1:${model.port}`,
        status: 401,
        reason: 'key_refused',
        message: '[key] is wrong',
      });
      expect(answer.text).not.toContain('sk-nobody');
    });

    it.each([
      [{ provider: 'skynet' }, 'provider'],
      [{ provider: '__proto__' }, 'provider'],
      [{ content: ' ' }, 'content'],
    ])('refuse an invalid test (case %#)', async (body, field) => {
      const error = expectFailure(await admin.post('/admin/models/test', body), 422, 'VALIDATION_ERROR');
      expect(error.details.field).toBe(field);
    });
  });

  describe('mail', () => {
    it('can be tested, with the own address by default', async () => {
      const own = await admin.post<{ to: string }>('/admin/email/test');
      expect(own.body).toMatchObject({
        message: 'The test email is being sent.',
        data: { to: admin.account.email, delivery: 'server' },
      });
      expect((await app.mails.waitForMail(admin.account.email)).subject).toMatch(/test/);
      await admin.post('/admin/email/test', { to: 'Ops@Example.com' });
      expect((await app.mails.waitForMail('ops@example.com')).subject).toMatch(/test/);
    });

    it('is not sent to an invalid address', async () => {
      expectFailure(await admin.post('/admin/email/test', { to: 'nobody' }), 422, 'VALIDATION_ERROR');
    });
  });

  it('lists the webhooks of all users, without secrets', async () => {
    const { token, user } = await createUser(app);
    const webhook = { url: 'https://hooks.example.com/chat', events: ['chat.*'] };
    expect((await call(`${app.url}/webhooks`, { token, body: webhook })).status).toBe(201);
    const answer = await admin.get('/admin/webhooks');
    expect(answer.text).not.toMatch(/secret":|whsec_/);
    expect(await admin.items<WebhookDto>('/admin/webhooks')).toMatchObject([{ ...webhook, user_id: user.id }]);
    expectFailure(await admin.get('/admin/webhooks?size=101'), 400, 'VALIDATION_ERROR');
  });
});
