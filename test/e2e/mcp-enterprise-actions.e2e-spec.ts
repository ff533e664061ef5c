// @databases mariadb: statements written by hand
import { Database } from '../../src/database/database';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import { ConnectActions } from '../../src/modules/generation/acting/deciding/connect-actions';
import type { IdentityDto } from '../../src/modules/identity/identities/identity.dto';
import { SessionRetention } from '../../src/modules/user/sessions/session.retention';
import { logIn, newcomer } from '../support/accounts';
import { resultsOf } from '../support/acting';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { type CompanyUser, useEnterprise } from '../support/mcp/enterprise';

describe('a call that needs a company sign-in', () => {
  const { app, issuer, company, server, scripted, signIn, use, connections } = useEnterprise();

  const assertionsOf = (userId: number): Promise<{ assertion: string | null }[]> =>
    app.app.get(Database).manager.query(`SELECT assertion FROM sessions WHERE user_id = ${userId} ORDER BY id`);

  /** A conversation whose agent has called the tool. */
  async function calling({ tool }: { tool: string }, { token }: CompanyUser) {
    const body = { name: newcomer().username, tools: [{ name: tool }] };
    const agent = (await company.first.post<AgentAdminDto>('/agents', body)).body.data;
    const client = new ChatClient(app.url, token);
    const { id: chatId } = await client.createChat({ agent_id: agent.id });
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [{ toolCall: { name: tool, arguments: '{}' } }] });
    await app.model.script({ key, steps: [{ text: 'Done.' }] });
    const [, reply] = (await client.send(chatId, key)).body;
    const ended = (): Promise<string[]> =>
      eventually(async () => {
        const last = (await client.read(chatId)).messages.at(-1);
        return last?.status === 'completed' ? resultsOf(last) : undefined;
      });
    return { client, reply, ended };
  }

  /** A user whose sign-in can no longer be exchanged: the provider's clock is slightly late. */
  async function late(): Promise<CompanyUser> {
    const user = await signIn({ exp: Math.floor(Date.now() / 1_000) - 1 });
    const { exp: _late, ...person } = issuer.person;
    issuer.person = person;
    return user;
  }

  it('has the groups of a new sign-in when the user reauthenticates', async () => {
    const wiki = await server();
    const ada = await signIn();
    const browser = connections(ada);
    const renew = async (groups: string[]): Promise<string | null> => {
      issuer.person = { ...issuer.person, groups };
      const { authorization_url: url } = (await browser.start(wiki.label)).body;
      const { pathname, search } = new URL(await ada.browser.answerOf(url));
      return browser.comeBack(app.origin + pathname + search);
    };
    const me = () => call(`${app.url}/auth/me`, { token: ada.token });
    const require = (required_groups: string[]) =>
      company.first.put(`/admin/identity_providers/${company.id}`, { required_groups });
    expect(await renew(['admins'])).toBe(`/console?connected=${wiki.label}`);
    expect(await me()).toMatchObject({ status: 200, body: { user_type: 'admin' } });
    await require(['admins']);
    expect(await renew([])).toBe('/console?error=IDENTITY_NOT_ALLOWED');
    expectFailure(await me(), 401, 'SESSION_REVOKED');
    await require([]);
  });

  it('waits until the user has reauthenticated, and is made then', async () => {
    const wiki = await server();
    const ada = await late();
    const { client, reply, ended } = await calling(wiki, ada);
    expect(reply.status).toBe('requires_action');
    const [action] = (await client.request<ActionDto[]>('/user/actions')).body;
    expect(action).toMatchObject({ kind: 'connect', server: wiki.label, scopes: [], sign_in: 'company' });
    expect(scripted().calls()).toEqual([]);
    const browser = connections(ada);
    const { authorization_url: url } = (await browser.start(wiki.label)).body;
    expect(new URL(url).origin).toBe(issuer.issuer);
    const { pathname, search } = new URL(await ada.browser.answerOf(url));
    expect(await browser.comeBack(app.origin + pathname + search)).toBe(`/console?connected=${wiki.label}`);
    expect(await ended()).toEqual([`You are ${ada.sub}.`]);
    expect((await client.request('/user/actions')).body).toEqual([]);
  });

  it('keeps waiting, without a question, while the sign-in cannot be exchanged', async () => {
    const { client } = await calling(await server(), await late());
    const before = (await client.request<ActionDto[]>('/user/actions')).body;
    await app.app.get(ConnectActions).findConnected();
    expect(before).toHaveLength(1);
    expect((await client.request('/user/actions')).body).toEqual(before);
  });

  it('continues when the user signs in elsewhere', async () => {
    const wiki = await server();
    const ada = await late();
    const { ended } = await calling(wiki, ada);
    await signIn({ sub: ada.sub });
    expect(await ended()).toEqual([`You are ${ada.sub}.`]);
  });

  it('is cancelled by a denial', async () => {
    const wiki = await server();
    const ada = await late();
    const { client, ended } = await calling(wiki, ada);
    const [{ id, chat_id: chatId }] = (await client.request<[ActionDto]>('/user/actions')).body;
    await client.request(`/chat/${chatId}/actions/${id}`, { body: { decision: 'deny', reason: 'Not now.' } });
    expect((await ended()).join()).toContain('Not now.');
  });

  it('is not made with a stored sign-in of an unlinked identity', async () => {
    const wiki = await server();
    const ada = await signIn();
    await use(wiki, ada);
    const { access_token: token } = await logIn(app, ada.userId);
    const byPassword = connections({ token });
    const { authorization_url: url } = (await byPassword.start(wiki.label)).body;
    const { pathname, search } = new URL(await ada.browser.answerOf(url));
    await byPassword.comeBack(app.origin + pathname + search);
    const kept = { assertion: expect.any(String) as string };
    expect(await assertionsOf(ada.userId)).toEqual([kept, kept]);
    const [identity] = (await call<IdentityDto[]>(`${app.url}/user/identities`, { token: ada.token })).body;
    const { first } = company;
    await first.put(`/admin/users/${ada.userId}`, { local_login: true });
    const path = `${app.url}/user/identities/${identity?.id}`;
    expect((await call(path, { token: ada.token, method: 'DELETE' })).status).toBe(200);
    expect(await assertionsOf(ada.userId)).toEqual([{ assertion: null }]);
    await expect(use(wiki, ada)).rejects.toMatchObject({ name: 'ConnectionNeededError' });
    expectFailure(await connections(ada).list(), 401, 'SESSION_REVOKED');
  });

  it('leaves nothing expired in the database, and nothing is stored unless a server needs it', async () => {
    const wiki = await server();
    const ada = await signIn();
    expect(await assertionsOf(ada.userId)).toEqual([{ assertion: expect.any(String) as string }]);
    app.advanceClock(301_000);
    await app.app.get(SessionRetention).keepUp();
    expect(await assertionsOf(ada.userId)).toEqual([{ assertion: null }]);
    app.resetClock();
    const { first } = company;
    for (const { id, auth } of await first.items<{ id: number; auth: string }>('/admin/mcp_servers?size=100')) {
      if (auth === 'enterprise') await first.put(`/admin/mcp_servers/${id}`, { is_active: false });
    }
    const grace = await signIn();
    expect(await assertionsOf(grace.userId)).toEqual([{ assertion: null }]);
    await first.put(`/admin/mcp_servers/${wiki.id}`, { is_active: true });
    await expect(use(wiki, grace)).rejects.toMatchObject({ name: 'ConnectionNeededError', signIn: 'company' });
  });
});
