import { Clock } from '../../src/common/clock';
import { CSV_BATCH } from '../../src/common/csv/csv';
import { Database } from '../../src/database/database';
import type { AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import { AuditLogEntity } from '../../src/modules/admin/audit/audit-log.entity';
import type { FeedbackEntryDto } from '../../src/modules/admin/content/feedback.dto';
import type { PlanDto } from '../../src/modules/admin/settings/plan.dto';
import type { AdminUserDto } from '../../src/modules/admin/users/admin-user.dto';
import { createUser, newcomer } from '../support/accounts';
import { type PageBody } from '../support/admin-client';
import { parseCsv } from '../support/csv';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

describe('the lists for administrators', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  async function file(path: string) {
    const answer = await call(`${app.url}${path}`, { token: admin.account.token });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    return { name: answer.headers.get('content-disposition'), ...parseCsv(answer.text) };
  }

  it('export users as a file, with the filters of the list, without executable spreadsheet content', async () => {
    const marker = newcomer().username.slice(0, 12);
    const names = [`-${marker}`, `${marker}b`, `${marker}c`];
    for (const username of names) {
      await createUser(app, { username, usernameKey: username, email: `${username.replace('-', 'x')}@example.com` });
    }
    const { name, header, rows } = await file(`/admin/users?format=csv&q=${marker}&size=1`);
    expect(name).toBe('attachment; filename="users.csv"');
    expect(rows.map((row) => row.username)).toEqual([`'-${marker}`, `${marker}b`, `${marker}c`]);
    const [listed] = await admin.items<AdminUserDto>(`/admin/users?q=${marker}b`);
    const { avatar: _avatar, ...fields } = listed ?? ({} as AdminUserDto);
    expect([...header].sort()).toEqual(Object.keys(fields).sort());
    const shown = (value: string | number | boolean | object | null): string =>
      value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
    expect(rows[1]).toEqual(Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, shown(value)])));
  });

  it('export the whole log as a file, even beyond one batch', async () => {
    const now = app.app.get(Clock).now();
    const entry = (index: number) => ({
      actorId: admin.id,
      address: '203.0.113.7',
      userAgent: index === 0 ? '=HYPERLINK("x")' : null,
      requestId: `request-${index}`,
      action: 'file.test',
      targetType: 'file',
      targetId: String(index),
      subjectId: null,
      before: null,
      after: { name: 'a,"b"' },
      reason: null,
      createdAt: now,
    });
    const count = CSV_BATCH + 3;
    await app.app
      .get(Database)
      .write((manager) =>
        manager.insert(AuditLogEntity, Array.from({ length: count }, (_element, index) => entry(index)) as never),
      );
    const { rows } = await file('/admin/audit_logs?format=csv&action=file.test');
    expect(rows.map((row) => Number(row.target_id))).toEqual(
      Array.from({ length: count }, (_element, index) => count - 1 - index),
    );
    const last = rows.at(-1);
    expect(last).toMatchObject({ user_agent: `'=HYPERLINK("x")`, after: '{"name":"a,\\"b\\""}', before: '' });
    const [logged] = await admin.items<AuditLogDto>('/admin/audit_logs?action=file.test');
    expect(rows[0]).toMatchObject({ id: String(logged?.id), created_at: logged?.created_at });
  });

  it('export ratings as a file', async () => {
    const { token, user } = await createUser(app);
    const { body: chat } = await call<{ id: number }>(`${app.url}/chat`, { token, body: {} });
    const ids: number[] = [];
    for (const comment of ['@first', 'second\nline']) {
      const message = { chat_id: chat.id, content: 'Hello' };
      const { body } = await call<{ id: number }[]>(`${app.url}/chat/message`, { token, body: message });
      const id = body[1]?.id ?? 0;
      ids.push(id);
      const rating = { rating: 'like', comment };
      await call(`${app.url}/chat/${chat.id}/messages/${id}/feedback`, { method: 'PUT', token, body: rating });
      app.advanceClock(1_000);
    }
    const { rows } = await file('/admin/feedback?format=csv&rating=like');
    const mine = rows.filter((row) => row.user_id === String(user.id));
    expect(mine.map((row) => [Number(row.message_id), row.comment])).toEqual([
      [ids[1], 'second\nline'],
      [ids[0], "'@first"],
    ]);
    const listed = (await admin.items<FeedbackEntryDto>('/admin/feedback?rating=like')).find(
      ({ message_id }) => message_id === ids[0],
    );
    expect(mine[1]?.rated_at).toBe(listed?.rated_at);
    expect((await file('/admin/feedback?format=csv&rating=dislike')).rows).toEqual([]);
  });

  it.each(['/admin/users', '/admin/audit_logs', '/admin/feedback'])(
    'refuse another format, and users: %s',
    async (path) => {
      const { token } = admin.account;
      expectFailure(await call(`${app.url}${path}?format=xml`, { token }), 400, 'VALIDATION_ERROR');
      const user = await createUser(app);
      expectFailure(await call(`${app.url}${path}?format=csv`, { token: user.token }), 403, 'FORBIDDEN');
    },
  );

  it('list the plans with their limits', async () => {
    const { body } = await admin.get<PageBody<PlanDto>>('/admin/plans');
    expect(body.data.items.map((plan) => plan.membership_type)).toEqual(['free', 'monthly', 'yearly']);
    expect(body.data.pagination).toEqual({ page: 1, size: 20, total: 3, pages: 1 });
    await admin.put('/admin/plans/yearly', { messages_per_day: 7 });
    const second = await admin.items<PlanDto>('/admin/plans?page=2&size=1');
    expect(second.map((plan) => plan.membership_type)).toEqual(['monthly']);
    const { data } = (await admin.get<PlanDto>('/admin/plans/yearly')).body;
    expect((await admin.items<PlanDto>('/admin/plans')).at(-1)).toEqual(data);
    expect(data.messages_per_day).toBe(7);
  });
});
