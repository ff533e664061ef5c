// @databases mariadb mysql: locks, dates and statements written by hand
import { In } from 'typeorm';
import { type DomainEvent, DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { SharedClock } from '../../src/database/shared-clock';
import { countRows, findRow, findRows } from '../../src/database/statements/find';
import { insertEntity, insertRow } from '../../src/database/statements/insert';
import { updateRows } from '../../src/database/statements/update';
import type { AttentionItemDto } from '../../src/modules/admin/attention/attention.dto';
import type { AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import { AuditLogEntity } from '../../src/modules/admin/audit/audit-log.entity';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { FailedReplies } from '../../src/modules/generation/failures/failed-replies';
import { FailedReplyEntity } from '../../src/modules/generation/failures/failed-reply.entity';
import type {
  RetentionPolicyDto,
  RetentionPreviewDto,
  RetentionSweepDto,
} from '../../src/modules/retention/administration/retention.dto';
import { noneDeleted, noneHeld } from '../../src/modules/retention/sweeping/deleted-counts';
import { RetentionSweepEntity } from '../../src/modules/retention/sweeping/retention-sweep.entity';
import { RetentionSweeper } from '../../src/modules/retention/sweeping/retention-sweeper';
import { SweepRuns } from '../../src/modules/retention/sweeping/sweep-runs';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { UsageFolding } from '../../src/modules/usage/folding/usage-folding';
import { UsageRollupEntity } from '../../src/modules/usage/reports/usage-rollup.entity';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { AdminClient } from '../support/admin-client';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { useAdmin, useOwnChatApp, useOwnTestApp } from '../support/use-app';

const DAY = 86_400_000;
const AT_ONCE = '2020-01-01T00:00:00.000Z';

describe('retention', () => {
  const app = useOwnChatApp({ LEDGER_MIN_DAYS: '30', AUDIT_MIN_DAYS: '30' });
  const manager = () => app.app.get(Database).manager;
  const write: Database['write'] = (work) => app.app.get(Database).write(work);
  let admin: AdminClient;

  /** The clock moves, so tokens of earlier tests have expired. */
  const advance = async (days: number): Promise<void> => {
    app.advanceClock(days * DAY);
    admin = await AdminClient.of(app);
  };

  beforeEach(async () => {
    admin = await AdminClient.of(app);
  });

  afterEach(async () => {
    for (const { id } of await admin.items<RetentionPolicyDto>('/admin/retention?size=100')) {
      await admin.delete(`/admin/retention/${id}`);
    }
    // What still protects data for a day, and conversations of this test, would reach into the next one.
    await advance(2);
    const { id } = await policy({ days: 1 });
    await sweep();
    await admin.delete(`/admin/retention/${id}`);
  });

  async function policy(body: object): Promise<RetentionPolicyDto> {
    const answer = await admin.post<RetentionPolicyDto>('/admin/retention', {
      scope: 'service',
      kind: 'chats',
      effective_at: AT_ONCE,
      ...body,
    });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
    return answer.body.data;
  }

  async function sweep(): Promise<RetentionSweepDto> {
    const { status, body } = await admin.post<{ sweep_id: number }>('/admin/retention/run');
    expect(status).toBe(200);
    await app.app.get(RetentionSweeper).untilEnded();
    const [newest] = await admin.items<RetentionSweepDto>('/admin/retention/sweeps');
    expect(newest).toMatchObject({ id: body.data.sweep_id, trigger: 'manual', status: 'completed' });
    return newest as RetentionSweepDto;
  }

  async function preview(policies?: object[]): Promise<RetentionPreviewDto['kinds']> {
    const answer = await admin.post<RetentionPreviewDto>('/admin/retention/preview', policies ? { policies } : {});
    expect(answer.status).toBe(200);
    return answer.body.data.kinds;
  }

  async function newGroup(): Promise<number> {
    return (await admin.post<{ id: number }>('/admin/groups', { name: uniqueContent('group') })).body.data.id;
  }

  async function newChat(client: ChatClient): Promise<ChatDto> {
    const chat = await client.createChat();
    expect((await client.send(chat.id, uniqueContent())).status).toBe(200);
    return (await client.request<ChatDto>(`/chat/${chat.id}`)).body;
  }

  /** A new user with a conversation, in these groups. */
  async function newOwner(...groups: number[]): Promise<{ client: ChatClient; userId: number; chat: ChatDto }> {
    const client = await app.newClient();
    const chat = await newChat(client);
    for (const id of groups) {
      expect((await admin.post(`/admin/groups/${id}/members`, { user_id: chat.user_id })).status).toBe(201);
    }
    return { client, userId: chat.user_id, chat };
  }

  const existing = async (ids: number[]): Promise<number[]> =>
    (await findRows(manager(), ChatEntity, { id: In(ids) }, { members: ['id'], order: { id: 'ASC' } })).map(
      ({ id }) => id,
    );

  it('deletes exactly what is due for a year, with groups that keep data for a shorter time or for ever', async () => {
    const [short, forEver] = [await newGroup(), await newGroup()];
    await policy({ days: 90 });
    await policy({ scope: 'group', scope_id: short, days: 30 });
    await policy({ scope: 'group', scope_id: forEver, days: null });
    const made: { id: number; month: number; months: number }[] = [];
    for (let month = 0; month < 12; month++) {
      // In two groups, the longer one applies.
      for (const [groups, months] of [
        [[], 3],
        [[short], 1],
        [[short, forEver], Infinity],
      ] as const) {
        made.push({ id: (await newOwner(...groups)).chat.id, month, months });
      }
      await advance(30);
      const age = (one: (typeof made)[number]): number => month + 1 - one.month;
      const due = made.filter((one) => age(one) === one.months);
      const [chats] = await preview();
      expect(chats).toMatchObject({ kind: 'chats', count: due.length, messages: due.length * 2, held: 0 });
      expect(chats?.sample.toSorted((one, other) => one - other)).toEqual(due.map(({ id }) => id));
      const { deleted } = await sweep();
      expect(deleted).toMatchObject({ chats: due.length, messages: due.length * 2 });
      const kept = made.filter((one) => age(one) < one.months).map(({ id }) => id);
      expect(await existing(made.map(({ id }) => id))).toEqual(kept);
      expect(await countRows(manager(), MessageEntity, { chatId: In(made.map(({ id }) => id)) })).toBe(kept.length * 2);
    }
  });

  it('shortens with a notice of 24 hours, and lengthens at once', async () => {
    const { chat } = await newOwner();
    await advance(100);
    const announced = await policy({ days: 30, effective_at: undefined });
    expect(Date.parse(announced.effective_at) - Date.parse(announced.created_at)).toBe(DAY);
    expect(await preview()).toEqual([]);
    expect(await preview([{ scope: 'service', kind: 'chats', days: 30 }])).toMatchObject([{ kind: 'chats', count: 1 }]);
    expect((await sweep()).deleted.chats).toBe(0);
    await advance(1);
    const path = `/admin/retention/${announced.id}`;
    const longer = (await admin.put<RetentionPolicyDto>(path, { days: 200 })).body.data;
    expect(longer.effective_at).toBe(longer.updated_at);
    expect((await sweep()).deleted.chats).toBe(0);
    const shorter = (await admin.put<RetentionPolicyDto>(path, { days: 90 })).body.data;
    expect(Date.parse(shorter.effective_at) - Date.parse(shorter.updated_at)).toBe(DAY);
    expect((await sweep()).deleted.chats).toBe(0);
    await advance(1);
    expect((await sweep()).deleted.chats).toBe(1);
    expect(await existing([chat.id])).toEqual([]);
  });

  it('protects for 24 hours the data of users who leave a group, and of a group whose policy is deleted', async () => {
    const [left, deleted] = [await newGroup(), await newGroup()];
    await policy({ days: 30 });
    await policy({ scope: 'group', scope_id: left, days: null });
    const { id } = await policy({ scope: 'group', scope_id: deleted, days: 365 });
    const [leaver, member] = [await newOwner(left), await newOwner(deleted)];
    await advance(60);
    expect((await admin.delete(`/admin/groups/${left}/members/${leaver.userId}`)).status).toBe(200);
    expect((await admin.delete(`/admin/retention/${id}`)).status).toBe(200);
    expect((await admin.get(`/admin/retention/${id}`)).status).toBe(404);
    expect((await sweep()).deleted.chats).toBe(0);
    await advance(1);
    expect((await sweep()).deleted.chats).toBe(2);
    expect(await existing([leaver.chat.id, member.chat.id])).toEqual([]);
  });

  it('shows owners when a conversation is deleted, reports the deletion, and names its reason', async () => {
    const { client, chat } = await newOwner();
    const empty = await client.createChat({ title: 'Secret title' });
    expect(chat.expires_at).toBeNull();
    const heard: DomainEvent[] = [];
    for (const type of ['chat.deleted', 'retention.swept']) {
      app.app.get(DomainEvents).on(type, (event) => Promise.resolve(void heard.push(event)));
    }
    await policy({ days: 10 });
    const shown = await client.read(chat.id);
    expect(Date.parse(shown.expires_at ?? '') - Date.parse(chat.last_message_at ?? '')).toBe(10 * DAY);
    await advance(10);
    const { id, deleted } = await sweep();
    expect(deleted).toMatchObject({ chats: 2, messages: 2 });
    const ofChat = heard.filter(({ data }) => [chat.id, empty.id].includes((data as { chat_id: number }).chat_id));
    expect(ofChat.map(({ data }) => data)).toMatchObject([{ reason: 'retention' }, { reason: 'retention' }]);
    expect(heard.at(-1)).toMatchObject({ type: 'retention.swept', userId: null, data: { sweep_id: id, deleted } });
    const logged = await admin.items<AuditLogDto>(`/admin/audit_logs?target=retention:${id}&action=retention.sweep`);
    expect(logged).toMatchObject([{ after: { trigger: 'manual', status: 'completed', deleted } }]);
    expect(logged[0]?.actor_id).toBeGreaterThan(0);
    expect(JSON.stringify(logged)).not.toContain('Secret title');
  });

  it('postpones running replies', async () => {
    const { client, chat } = await newOwner();
    await policy({ days: 10 });
    await write((writer) => updateRows(writer, ChatEntity, { activeMessageId: 1 }, { id: chat.id }));
    await advance(10);
    expect(await preview()).toMatchObject([{ count: 0 }]);
    expect((await sweep()).deleted.chats).toBe(0);
    await write((writer) => updateRows(writer, ChatEntity, { activeMessageId: null }, { id: chat.id }));
    expect((await sweep()).deleted.chats).toBe(1);
    expect((await client.request(`/chat/${chat.id}`)).status).not.toBe(200);
  });

  it('deletes uploads, failures, traces, ledger rows and log entries, and keeps sums and proofs', async () => {
    const { client, chat, userId } = await newOwner();
    const reply = (await client.read(chat.id)).messages.at(-1)!;
    await app.app.get(UsageFolding).foldAll();
    const form = new FormData();
    form.set('file', new File(['A note.'], 'note.txt', { type: 'text/plain' }));
    const response = await fetch(`${app.url}/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}` },
      body: form,
    });
    const file = ((await response.json()) as { data: { id: number; expires_at: string | null } }).data;
    expect(file.expires_at).toBeNull();
    for (const [kind, days] of [
      ['files', 30],
      ['traces', 20],
      ['ledger', 60],
      ['audit', 40],
      ['events', 90],
    ] as const) {
      await policy({ kind, days });
    }
    const { expires_at } = (await client.request<{ data: typeof file }>(`/files/${file.id}`)).body.data;
    expect(expires_at).not.toBeNull();
    const sums = await findRows(manager(), UsageRollupEntity, { userId });
    expect(sums.length).toBeGreaterThan(0);
    await advance(45);
    const proofs = { action: 'retention.create' };
    const entries = await countRows(manager(), AuditLogEntity, proofs);
    const kinds = new Map((await preview()).map((one) => [one.kind, one]));
    const first = await sweep();
    for (const name of ['files', 'events', 'traces', 'ledger', 'audit'] as const) {
      expect({ name, count: first.deleted[name] }).toEqual({ name, count: kinds.get(name)?.count });
    }
    expect(kinds.get('files')).toMatchObject({ count: 1, bytes: 7 });
    expect(first.deleted).toMatchObject({ files: 1, bytes: 7, events: 0, chats: 0 });
    expect(await countRows(manager(), UsageEntryEntity, { userId })).toBeGreaterThan(0);
    expect(first.deleted.traces).toBeGreaterThan(0);
    expect(first.deleted.audit).toBeGreaterThan(0);
    expect(await countRows(manager(), AuditLogEntity, proofs)).toBe(entries);
    expect(await findRow(manager(), MessageEntity, { id: reply.id })).toMatchObject({ trace: null });
    await advance(50);
    expect((await sweep()).deleted).toMatchObject({ files: 0, traces: 0 });
    expect(await countRows(manager(), UsageEntryEntity, { userId })).toBe(0);
    expect(await countRows(manager(), UsageCostEntity, { userId })).toBe(0);
    expect(await findRows(manager(), UsageRollupEntity, { userId })).toEqual(sums);
    expect(await existing([chat.id])).toEqual([chat.id]);
  });

  it('continues after an interruption, and never sweeps on two instances', async () => {
    const { chat } = await newOwner();
    await policy({ days: 10 });
    await advance(10);
    const seenAt = app.app.get(SharedClock).now();
    const lease = {
      trigger: 'schedule' as const,
      status: 'running' as const,
      slot: 1 as const,
      actorId: null,
      instanceId: 'another',
      deleted: noneDeleted(),
      held: noneHeld(),
      policyIds: [],
      startedAt: seenAt,
      seenAt,
      endedAt: null,
    };
    const { id } = await write((writer) => insertEntity(writer, RetentionSweepEntity, lease));
    const refused = await admin.post('/admin/retention/run');
    if (app.app.get(Database).isShared) {
      expect(refused).toMatchObject({ status: 409, body: { error: { code: 'RETENTION_RUNNING' } } });
      expect(await existing([chat.id])).toEqual([chat.id]);
      app.advanceClock(120_000);
      await sweep();
    } else {
      // The only process of a SQLite file takes over at once.
      expect(refused.status).toBe(200);
      await app.app.get(RetentionSweeper).untilEnded();
    }
    expect(await existing([chat.id])).toEqual([]);
    const cut = await findRow(manager(), RetentionSweepEntity, { id });
    expect(cut).toMatchObject({ status: 'cut', slot: null });
  });

  it('takes over its own sweep whose end could not be stored', async () => {
    const { chat } = await newOwner();
    await policy({ days: 10 });
    await advance(10);
    const runs = app.app.get(SweepRuns);
    jest.spyOn(runs, 'keep').mockRejectedValueOnce(new Error('The database does not respond.'));
    const close = jest.spyOn(app.app.get(Database), 'write');
    const end = runs.end.bind(runs);
    jest.spyOn(runs, 'end').mockImplementationOnce(async (...given) => {
      close.mockRejectedValueOnce(new Error('The database does not respond.'));
      await end(...given);
    });
    const id = (await admin.post<{ sweep_id: number }>('/admin/retention/run')).body.data.sweep_id;
    await app.app.get(RetentionSweeper).untilEnded();
    jest.restoreAllMocks();
    expect(await findRow(manager(), RetentionSweepEntity, { id })).toMatchObject({ status: 'running' });
    app.advanceClock(120_000);
    expect((await sweep()).deleted.chats).toBe(1);
    expect(await findRow(manager(), RetentionSweepEntity, { id })).toMatchObject({ status: 'cut', slot: null });
    expect(await existing([chat.id])).toEqual([]);
  });

  it('stops when a policy is lengthened while it runs', async () => {
    const { chat } = await newOwner();
    const { id } = await policy({ days: 10 });
    await advance(10);
    const runs = app.app.get(SweepRuns);
    const keep = runs.keep.bind(runs);
    jest.spyOn(runs, 'keep').mockImplementationOnce(async (sweeping) => {
      await admin.put(`/admin/retention/${id}`, { days: null });
      await keep(sweeping);
    });
    await admin.post('/admin/retention/run');
    await app.app.get(RetentionSweeper).untilEnded();
    jest.restoreAllMocks();
    const [newest] = await admin.items('/admin/retention/sweeps');
    expect(newest).toMatchObject({ status: 'cut' });
    expect(await existing([chat.id])).toEqual([chat.id]);
  });

  it('refuses policies outside of the limits, duplicates, and the deletion of a group with a policy', async () => {
    const group = await newGroup();
    const refusals: [object, number, string][] = [
      [{ scope: 'service', kind: 'ledger', days: 29 }, 422, 'days'],
      [{ scope: 'service', kind: 'audit', days: 29 }, 422, 'days'],
      [{ scope: 'service', kind: 'events', days: 91 }, 422, 'days'],
      [{ scope: 'service', kind: 'events', days: null }, 422, 'days'],
      [{ scope: 'service', kind: 'failed_replies', days: 366 }, 422, 'days'],
      [{ scope: 'group', scope_id: group, kind: 'audit', days: 900 }, 422, 'scope'],
      [{ scope: 'group', scope_id: 2_000_000_000, kind: 'chats', days: 9 }, 422, 'scope_id'],
      [{ scope: 'group', kind: 'chats', days: 9 }, 422, 'scope_id'],
      [{ scope: 'service', scope_id: group, kind: 'chats', days: 9 }, 422, 'scope_id'],
    ];
    for (const [body, status, field] of refusals) {
      const answer = await admin.post('/admin/retention', body);
      const { details } = expectFailure(answer, 422, 'VALIDATION_ERROR');
      expect({ body, status: answer.status, field: details.field }).toEqual({ body, status, field });
    }
    await policy({ scope: 'group', scope_id: group, days: 9 });
    const again = await admin.post('/admin/retention', { scope: 'group', scope_id: group, kind: 'chats', days: 5 });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'RETENTION_EXISTS' } } });
    const removal = await admin.delete(`/admin/groups/${group}`);
    expect(removal).toMatchObject({ status: 409, body: { error: { code: 'GROUP_IN_USE' } } });
  });
});

describe('paused retention', () => {
  const app = useOwnTestApp({ RETENTION_PAUSED: 'true' });
  const admin = useAdmin(app);

  it('sweeps nothing, and is reported', async () => {
    const failure = { code: 'PROVIDER_ERROR', failedAt: new Date(Date.now() - 40 * DAY), messageId: 1, agentId: 1 };
    const nothing = { apiKeyId: null, provider: null, model: null, providerStatus: null, providerMessage: null };
    const { manager } = app.app.get(Database);
    const row = { ...failure, ...nothing, userId: admin.account.user.id, chatId: 1 };
    await app.app.get(Database).write((writer) => insertRow(writer, FailedReplyEntity, row));
    await app.app.get(FailedReplies).purge();
    expect(await countRows(manager, FailedReplyEntity, {})).toBe(1);
    const answer = await admin.post('/admin/retention/run');
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'RETENTION_PAUSED' } } });
    const items = (await admin.get<AttentionItemDto[]>('/admin/attention')).body.data;
    expect(items.map(({ kind }) => kind)).toContain('retention_paused');
    const health = (await (await fetch(new URL('/health', app.url))).json()) as { checks: object };
    expect(health.checks).toMatchObject({ retention: { status: 'down', reason: 'paused' } });
  });
});
