import { createHash } from 'node:crypto';
import { type AnthropicCaller, type AnthropicError, useAnthropicApi } from '../support/anthropic-api';
import { makeKey } from '../support/api-keys';
import { makeBudget } from '../support/budgets';
import { call } from '../support/http';
import { useOwnChatApp } from '../support/use-app';

const app = useOwnChatApp({ RATE_LIMIT_NORMAL: '10000' });
const api = useAnthropicApi(app);

const SETTINGS = { b: 1.5, a: { é: ['x', null], B: true, 10: 'ten', 9: 'nine' } };

const put = (policies: unknown, more: object = {}) => api.admin.put('/admin/claude_settings', { policies, ...more });

const managed = (caller: AnthropicCaller, headers: Record<string, string> = {}) =>
  caller.send<AnthropicError>('/managed/settings', { headers });

async function memberOf(caller: AnthropicCaller): Promise<number> {
  const group = await api.admin.post<{ id: number }>('/admin/groups', { name: `g${caller.account.user.id}` });
  expect(group.status).toBe(201);
  const { id } = group.body.data;
  const added = await api.admin.post(`/admin/groups/${id}/members`, { user_id: caller.account.user.id });
  expect(added.status).toBeLessThan(300);
  return id;
}

describe('the managed settings of Claude Code', () => {
  it('are those of the first policy for the user, with the checksum of their canonical JSON', async () => {
    const [member, other] = [await api.newCaller(), await api.newCaller()];
    const group = await memberOf(member);
    expect((await put([{ groups: [group], settings: SETTINGS }])).status).toBe(200);
    const answer = await managed(member);
    const canonical = '{"a":{"10":"ten","9":"nine","B":true,"é":["x",null]},"b":1.5}';
    const checksum = `sha256:${createHash('sha256').update(canonical).digest('hex')}`;
    expect(answer.body).toEqual({ uuid: checksum, checksum, settings: SETTINGS });
    expect(answer.headers.get('etag')).toBe(`"${checksum}"`);
    expect((await managed(member, { 'if-none-match': `"${checksum}"` })).status).toBe(304);
    expect((await managed(member, { 'if-none-match': 'W/"other"' })).status).toBe(200);
    const none = await managed(other);
    expect([none.status, none.body.error.type]).toEqual([404, 'not_found_error']);
    const settings = { cleanupPeriodDays: 7 };
    expect(
      (
        await put([
          { groups: [group], settings: SETTINGS },
          { groups: null, settings },
        ])
      ).status,
    ).toBe(200);
    expect((await managed(other)).body).toMatchObject({ settings });
    expect((await managed(member)).body).toMatchObject({ settings: SETTINGS });
  });

  it('run commands only if the administrator confirms it', async () => {
    const policies = [{ groups: null, settings: { hooks: {} } }];
    const refused = await put(policies);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('confirm_commands')]);
    expect((await put(policies, { confirm_commands: true })).status).toBe(200);
    expect((await api.admin.get('/admin/claude_settings')).body.data).toEqual({ policies });
  });

  it('are changed by administrators who are signed in, and the audit log shows it', async () => {
    const answer = await put([]);
    const [entry] = await api.admin.entriesOf(answer);
    expect(entry?.action).toBe('claude_settings.update');
    const { key } = await makeKey(app, api.admin.account.token, { scopes: ['admin:write', 'admin:read'] });
    for (const method of ['GET', 'PUT']) {
      const body = method === 'PUT' ? { policies: [] } : undefined;
      expect((await call(`${app.url}/admin/claude_settings`, { method, token: key, body })).status).toBe(403);
    }
    for (const policies of [[{ groups: [999_999], settings: {} }], [{ groups: null, settings: [] }], 'x']) {
      expect((await put(policies)).status).toBe(422);
    }
    expect((await put([{ groups: null, settings: { a: 'x'.repeat(70_000) } }])).status).toBe(413);
  });
});

describe('the usage that Claude Code shows', () => {
  it('has the own hard budgets in cents, and none without a budget', async () => {
    const caller = await api.newCaller();
    const usage = async (): Promise<unknown> => (await caller.send('/api/oauth/usage')).body;
    expect(await usage()).toMatchObject({ extra_usage: { monthly_limit: null, used_credits: 0 }, limits: [] });
    const own = { scope: 'user', scope_id: caller.account.user.id };
    await makeBudget(api.admin, { ...own, limit: '12.349', mode: 'hard' });
    await makeBudget(api.admin, { ...own, limit: '1', mode: 'soft' });
    expect(await usage()).toEqual({
      extra_usage: { is_enabled: true, monthly_limit: 1_234, used_credits: 0, utilization: 0, currency: 'USD' },
      limits: [
        {
          kind: 'spend',
          group: 'monthly',
          percent: 0,
          resets_at: expect.any(String),
          severity: 'normal',
          is_active: true,
        },
      ],
    });
  });
});
