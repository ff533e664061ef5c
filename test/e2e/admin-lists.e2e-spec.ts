// @databases mariadb mysql: query plans
import { Clock } from '../../src/common/clock';
import { CSV_BATCH } from '../../src/common/csv/csv';
import { Database } from '../../src/database/database';
import type { AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import type { ChatMetadataDto } from '../../src/modules/admin/content/content.dto';
import type { FeedbackEntryDto } from '../../src/modules/admin/content/feedback.dto';
import type { UserUsageDto } from '../../src/modules/admin/statistics/usage-statistics.dto';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { AdminApiKeyDto } from '../../src/modules/api-key/administration/admin-api-key.dto';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { createUser, type TestAccount } from '../support/accounts';
import type { PageBody } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { ChatClient } from '../support/chat-client';
import { csvCells as cells, csvFile } from '../support/csv';
import { expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const MINUTE = 60_000;

describe('the lists in the console', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  let user: TestAccount;

  beforeEach(async () => {
    user = await createUser(app);
  });

  const now = () => app.app.get(Clock).now().toISOString();

  const file = (path: string, token = admin.account.token) => csvFile(`${app.url}${path}`, token);

  describe('API keys', () => {
    const keys = (query: string) => admin.items<AdminApiKeyDto>(`/admin/api-keys?user_id=${user.user.id}&${query}`);
    const names = async (query: string) => (await keys(query)).map(({ name }) => name);

    beforeEach(async () => {
      await makeKey(app, user.token, { name: '=Backup É' });
      const expires_at = new Date(Date.parse(now()) + 10 * MINUTE).toISOString();
      app.advanceClock(MINUTE);
      await makeKey(app, user.token, { name: 'Alpha', expires_at });
      await makeKey(app, user.token, { name: 'Reports' });
    });

    it('are sorted, with their ids as tie-breaker', async () => {
      expect(await names('')).toEqual(['Reports', 'Alpha', '=Backup É']);
      expect(await names('sort=id')).toEqual(['=Backup É', 'Alpha', 'Reports']);
      expect(await names('sort=name')).toEqual(['=Backup É', 'Alpha', 'Reports']);
      expect(await names('sort=-name')).toEqual(['Reports', 'Alpha', '=Backup É']);
      expect(await names('sort=created_at')).toEqual(['=Backup É', 'Alpha', 'Reports']);
      expect(await names('sort=expires_at')).toEqual(['=Backup É', 'Reports', 'Alpha']);
      expect(await names('sort=-expires_at&size=1&page=2')).toEqual(['Reports']);
    });

    it('are found by a part of the name, and by the ends of the key', async () => {
      expect(await names('q=backup+%C3%A9')).toEqual(['=Backup É']);
      expect(await names('q=report')).toEqual(['Reports']);
      expect(await names('q=no+such+key')).toEqual([]);
      const [key] = await keys('q=alpha');
      expect(await names(`q=${key?.prefix}`)).toEqual(['Alpha']);
      expect(await names(`q=${key?.last_four}&status=active`)).toEqual(['Alpha']);
      expect(await names(`q=${key?.last_four}&status=expired`)).toEqual([]);
    });

    it('are exported as a file, with the filters of the list', async () => {
      const { name, rows } = await file(`/admin/api-keys?format=csv&size=1&user_id=${user.user.id}`);
      expect(name).toBe('attachment; filename="api-keys.csv"');
      expect(rows.map((row) => row.name)).toEqual(['Reports', 'Alpha', `'=Backup É`]);
      const [listed] = await keys('q=alpha');
      expect(rows[1]).toEqual(cells(listed as AdminApiKeyDto));
      expect((await file(`/admin/api-keys?format=csv&q=alp&user_id=${user.user.id}`)).rows).toHaveLength(1);
    });
  });

  describe('conversations', () => {
    const page = async (query: string) =>
      (await admin.get<PageBody<ChatMetadataDto>>(`/admin/chats?user_id=${user.user.id}&${query}`)).body.data;
    const ids = async (query: string) => (await page(query)).items.map(({ id }) => id);

    it('are limited to a period, and sorted', async () => {
      const client = new ChatClient(app.url, user.token);
      const first = await client.createChat();
      app.advanceClock(MINUTE);
      const between = now();
      app.advanceClock(MINUTE);
      const second = await client.createChat();
      expect(await ids('')).toEqual([second.id, first.id]);
      expect(await ids('sort=id')).toEqual([first.id, second.id]);
      expect(await ids('sort=created_at')).toEqual([first.id, second.id]);
      expect(await ids('sort=-created_at&size=1&page=2')).toEqual([first.id]);
      expect(await ids(`to=${between}`)).toEqual([first.id]);
      const { items, pagination } = await page(`from=${between}&size=1`);
      expect([items.map(({ id }) => id), pagination.total]).toEqual([[second.id], 1]);
    });

    it('are exported as a file, even beyond one batch, and without user text', async () => {
      const client = new ChatClient(app.url, user.token);
      const { id } = await client.createChat({ title: 'Diary' });
      const count = CSV_BATCH + 1;
      await app.app.get(Database).write(async (manager) => {
        const { id: _id, ...chat } = await manager.findOneByOrFail(ChatEntity, { id });
        await manager.insert(
          ChatEntity,
          Array.from({ length: count }, () => ({ ...chat })),
        );
      });
      const { name, rows, header } = await file(`/admin/chats?format=csv&user_id=${user.user.id}`);
      expect(name).toBe('attachment; filename="chats.csv"');
      expect(rows).toHaveLength(count + 1);
      expect(new Set(rows.map((row) => row.id)).size).toBe(count + 1);
      const [listed] = await admin.items<ChatMetadataDto>(`/admin/chats?user_id=${user.user.id}&sort=id`);
      expect(rows.at(-1)).toEqual(cells(listed as ChatMetadataDto));
      expect(header).not.toContain('title');
    });
  });

  it('sort the log and the ratings in both directions', async () => {
    for (const name of ['one', 'two']) {
      await admin.post('/agents', { name: `${name} ${user.user.username}` });
      app.advanceClock(MINUTE);
    }
    const log = (sort: string) =>
      admin.items<AuditLogDto>(`/admin/audit_logs?actor_id=${admin.id}&action=agent.create&size=100&sort=${sort}`);
    const newest = (await log('-id')).map(({ id }) => id);
    expect(newest.length).toBeGreaterThanOrEqual(2);
    expect(newest).toEqual([...newest].sort((one, other) => other - one));
    expect((await log('-created_at')).map(({ id }) => id)).toEqual(newest);
    expect((await log('id')).map(({ id }) => id)).toEqual([...newest].reverse());
    expect((await log('created_at')).map(({ id }) => id)).toEqual([...newest].reverse());
    const client = new ChatClient(app.url, user.token);
    const chat = await client.createChat();
    for (const content of ['one', 'two']) {
      const [, reply] = (await client.send(chat.id, content)).body;
      const path = `/chat/${chat.id}/messages/${reply.id}/feedback`;
      await client.request(path, { method: 'PUT', body: { rating: 'like' } });
      app.advanceClock(MINUTE);
    }
    const rated = async (query: string) =>
      (await admin.items<FeedbackEntryDto>(`/admin/feedback?agent_id=${chat.agent_id}&${query}`))
        .filter(({ user_id }) => user_id === user.user.id)
        .map(({ message_id }) => message_id);
    expect(await rated('sort=rated_at')).toEqual((await rated('')).reverse());
  });

  it('sort agents in more orders and export them, with the settings for administrators only', async () => {
    const name = `-agent ${user.user.username}`;
    const made = await admin.post<AgentAdminDto>('/agents', { name, system_prompt: 'Secret', tags: ['a'] });
    const { id } = made.body.data;
    const last = async (sort: string) => (await admin.items<AgentAdminDto>(`/agents?size=100&sort=${sort}`)).at(-1)?.id;
    expect([await last('id'), await last('updated_at')]).toEqual([id, id]);
    const filter = `format=csv&q=${user.user.username}`;
    const { name: filename, rows } = await file(`/agents?${filter}`);
    expect(filename).toBe('attachment; filename="agents.csv"');
    const [listed] = await admin.items<AgentAdminDto>(`/agents?q=${user.user.username}`);
    // Who may read the collections depends on groups, which the file does not describe.
    const { knowledge_access: _access, ...inFile } = listed as AgentAdminDto;
    expect(rows).toEqual([{ ...cells(inFile), name: `'${name}` }]);
    const shown = await file(`/agents?${filter}`, user.token);
    expect(shown.rows).toEqual([expect.objectContaining({ id: String(id), tags: '["a"]' })]);
    expect(shown.header).not.toContain('system_prompt');
  });

  it('export the days of a user as a file', async () => {
    const client = new ChatClient(app.url, user.token);
    await client.send((await client.createChat()).id, 'Hello');
    const path = `/admin/users/${user.user.id}/usage?from=2026-01-01&to=2026-01-03`;
    expect((await file(`${path}&format=csv`)).rows.map((row) => row.date)).toEqual([
      '2026-01-01',
      '2026-01-02',
      '2026-01-03',
    ]);
    const { rows } = await file(`/admin/users/${user.user.id}/usage?format=csv`);
    const { data } = (await admin.get<UserUsageDto>(`/admin/users/${user.user.id}/usage`)).body;
    expect(rows).toEqual(data.days.map(cells));
    expect(rows.at(-1)).toMatchObject({ messages: '2' });
  });

  it.each(['/admin/api-keys?sort=secret_hash', '/admin/chats?from=2026-01-02&to=2026-01-01'])(
    'answers %s with 400',
    async (path) => {
      expectFailure(await admin.get(path), 400, 'VALIDATION_ERROR');
    },
  );
});
