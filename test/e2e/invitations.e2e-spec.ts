// @databases mariadb: a change of groups
import type { InvitationDto, NewInvitationDto } from '../../src/modules/auth/invitations/invitation.dto';
import { addMonths, PLAN_MONTHS } from '../../src/modules/user/account/plans';
import type { UserDto } from '../../src/modules/user/account/user.dto';
import { newcomer, PASSWORD, receiveCode } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { uniqueContent } from '../support/chat-client';
import { call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';

describe('an invitation', () => {
  const app = useOwnTestApp();
  let admin: AdminClient;

  beforeAll(async () => {
    admin = await AdminClient.of(app);
    await admin.put('/admin/settings', { registration_enabled: false, allowed_email_domains: ['company.example'] });
  });

  const invite = async (body: object = {}): Promise<NewInvitationDto> => {
    const answer = await admin.post<NewInvitationDto>('/admin/invitations', body);
    expect(answer.status).toBe(201);
    return answer.body.data;
  };
  const sendCode = (email: string, invitation?: string) =>
    call(`${app.url}/auth/send_code`, { body: { email, purpose: 'register', invitation } });
  const register = (email: string, code: string, invitation?: string) =>
    call<{ access_token: string }>(`${app.url}/auth/register`, {
      body: { email, code, username: newcomer().username, password: PASSWORD, invitation },
    });
  /** Requests a code with an invitation, and returns it. */
  const codeFor = (email: string, invitation: string): Promise<string> =>
    receiveCode(app, email, 'register', { invitation });
  const living = () => admin.items<InvitationDto>('/admin/invitations?size=100');

  it('registers one user while registration is closed, with its plan, once', async () => {
    const { token, url, ...invitation } = await invite({ membership_type: 'monthly' });
    expect(url).toBe(`${app.origin}/console/register?invitation=${token}`);
    expect(token).toMatch(/^[\w-]{22}$/);
    const { email } = newcomer();
    expectFailure(await sendCode(email), 403, 'REGISTRATION_DISABLED');
    const code = await codeFor(email, token);
    expectFailure(await register(email, code), 403, 'REGISTRATION_DISABLED');
    const { body } = await register(email, code, token);
    const me = await call<UserDto>(`${app.url}/auth/me`, { token: body.access_token });
    const { created_at: start, membership_expires_at: end } = me.body;
    expect(me.body).toMatchObject({ email, membership_type: 'monthly' });
    expect(end).toBe(addMonths(new Date(start), PLAN_MONTHS.monthly).toISOString());

    expectFailure(await sendCode(newcomer().email, token), 403, 'INVITATION_INVALID');
    expect((await living()).map(({ id }) => id)).not.toContain(invitation.id);
    expectFailure(await admin.delete(`/admin/invitations/${invitation.id}`), 404, 'INVITATION_NOT_FOUND');
  });

  it('adds the account to its groups, without those that are deleted by then', async () => {
    const group = async () =>
      (await admin.post<{ id: number }>('/admin/groups', { name: uniqueContent('group') })).body.data.id;
    const [kept, gone] = [await group(), await group()];
    const { token, group_ids } = await invite({ group_ids: [kept, gone] });
    expect([group_ids, (await living())[0]?.group_ids]).toEqual([
      [kept, gone],
      [kept, gone],
    ]);
    await admin.delete(`/admin/groups/${gone}`);
    const { email } = newcomer();
    await register(email, await codeFor(email, token), token);
    const members = await admin.items<{ email: string; sources: string[] }>(`/admin/groups/${kept}/members`);
    expect(members).toEqual([expect.objectContaining({ email, sources: ['admin'] })]);
  });

  it.each([
    ['en', /invited/i, 'Create account'],
    ['de', /Einladung/, 'Konto erstellen'],
    ['ja', /招待/, 'アカウントを作成'],
  ])('is sent by mail in the language %s', async (lang, subject, action) => {
    const { email } = newcomer();
    const { url, token, sent } = await invite({ email, send: true, lang });
    expect(sent).toBe(true);
    const mail = await app.mails.waitForMail(email, (each) => subject.test(each.subject ?? ''));
    expect(mail.text).toContain(`${action}: ${url}`);
    expect(String(mail.html)).toContain(action);
    expect((await register(email, await codeFor(email, token), token)).status).toBe(200);
  });

  it('is not sent if that is not requested', async () => {
    const { email } = newcomer();
    const { sent } = await invite({ email });
    await invite({ email, send: true });
    await app.mails.waitForMail(email, ({ subject }) => /invited/.test(subject ?? ''));
    expect([sent, app.mails.mailsTo(email).length]).toEqual([false, 1]);
  });

  it('registers one of two concurrent users', async () => {
    const { token } = await invite();
    const people = [newcomer().email, newcomer().email];
    const codes = await Promise.all(people.map((email) => codeFor(email, token)));
    const answers = await Promise.all(people.map((email, index) => register(email, codes[index]!, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(answers.find(({ status }) => status === 403)?.text).toContain('INVITATION_INVALID');
  });

  it('is for its address only, if it has one', async () => {
    const { email } = newcomer();
    const { token } = await invite({ email: email.toUpperCase() });
    expect((await living())[0]).toMatchObject({ email, membership_type: 'free', created_by: admin.id });
    expectFailure(await sendCode(newcomer().email, token), 403, 'INVITATION_INVALID');
    expect((await register(email, await codeFor(email, token), token)).status).toBe(200);
  });

  it('expires after seven days, at its set time, and when it is revoked', async () => {
    const [week, hour, back] = [
      await invite(),
      await invite({ expires_at: new Date(Date.now() + 3_600_000).toISOString() }),
      await invite(),
    ];
    expect((await admin.delete(`/admin/invitations/${back.id}`)).body.data).toEqual({ id: back.id });
    expectFailure(await sendCode(newcomer().email, back.token), 403, 'INVITATION_INVALID');
    app.advanceClock(3_600_001);
    expectFailure(await sendCode(newcomer().email, hour.token), 403, 'INVITATION_INVALID');
    expect((await sendCode(newcomer().email, week.token)).status).toBe(200);
    app.advanceClock(7 * 86_400_000);
    expectFailure(await sendCode(newcomer().email, week.token), 403, 'INVITATION_INVALID');
  });

  it('opens nothing if passwords are off', async () => {
    const { token } = await invite();
    await admin.put('/admin/settings', { password_login: 'admins' });
    expectFailure(await sendCode(newcomer().email, token), 403, 'PASSWORD_LOGIN_DISABLED');
    await admin.put('/admin/settings', { password_login: 'everyone' });
  });

  it.each([
    ['an end that is over', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an end in two years', { expires_at: '2031-01-01T00:00:00Z' }, 'expires_at'],
    ['no address', { email: 'nobody' }, 'email'],
    ['no address to send it to', { send: true }, 'email'],
    ['null to send it to', { send: true, email: null }, 'email'],
    ['a group that does not exist', { group_ids: [999_999] }, 'group_ids.0'],
    ['no list of groups', { group_ids: 3 }, 'group_ids'],
  ])('is not created with %s', async (_what, body, field) => {
    const answer = await admin.post('/admin/invitations', body);
    expect(expectFailure(answer, 422, 'VALIDATION_ERROR').details).toMatchObject({ field });
  });
});
