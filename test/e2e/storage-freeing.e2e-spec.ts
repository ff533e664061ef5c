// @databases mariadb: two instances share one database
import { randomBytes } from 'node:crypto';
import { IsNull, Not } from 'typeorm';
import { Database } from '../../src/database/database';
import { countRows } from '../../src/database/statements/find';
import { BlobEntity } from '../../src/integrations/blob-store/blob.entity';
import { BlobReferenceEntity } from '../../src/integrations/blob-store/blob-reference.entity';
import { BlobReferences } from '../../src/integrations/blob-store/blob-references';
import type { PlanDto } from '../../src/modules/admin/settings/plan.dto';
import type { AdminUserDto } from '../../src/modules/admin/users/admin-user.dto';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { FileUsers } from '../../src/modules/chat/file-users';
import { PlanEntity } from '../../src/modules/usage/quota/plan.entity';
import { PlanService } from '../../src/modules/usage/quota/plan.service';
import type { QuotaDto } from '../../src/modules/usage/quota/quota.dto';
import { UsageAccountEntity } from '../../src/modules/usage/quota/usage-account.entity';
import { StoredTextEntity } from '../../src/modules/usage/storage/stored-text.entity';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import type { ChatClient } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import { startInstance } from '../support/test-app';
import { page, sendTurns, turn } from '../support/turns';
import { useAdmin, useOwnChatApp } from '../support/use-app';

const DAY = 86_400_000;
/** The count of an item excluding its files, with one of them. */
const ITEM = 256;

interface Person {
  client: ChatClient;
  userId: number;
}

describe('released storage', () => {
  const app = useOwnChatApp({ QUOTA_FREE_STORAGE_MB: '1', CONCURRENT_NORMAL: '10' });
  const admin = useAdmin(app);

  async function newPerson(): Promise<Person> {
    const client = await app.newClient();
    return { client, userId: (await client.request<{ id: number }>('/auth/me')).body.id };
  }

  const newFile = (length = 5_000) => page(randomBytes(length / 2).toString('hex'));
  const text = { type: 'text', text: 'Read this.' } as const;
  const storage = async ({ client }: Person) => (await client.request<QuotaDto>('/user/quota')).body.storage;
  const used = async (person: Person) => (await storage(person)).used;
  const database = () => app.app.get(Database);
  const purge = () => app.app.get(ChatRetention).purge();

  async function send({ client, userId }: Person, ...files: ReturnType<typeof newFile>[]): Promise<number> {
    const { id } = await client.createChat();
    await sendTurns(app, userId, id, turn('user', text, ...files));
    return id;
  }

  const remove = ({ client }: Person, chatId: number) => client.request(`/chat/${chatId}`, { method: 'DELETE' });

  it('is the same for an account with a legal hold, and is released once', async () => {
    const [person, other] = [await newPerson(), newFile()];
    const shared = newFile();
    const chats = [await send(person, shared, other), await send(person, shared)];
    const hold = { scope: 'user', scope_id: person.userId, name: 'Case', reason: 'Order.', notify: false };
    const { id } = (await admin.post<{ id: number }>('/admin/holds', hold)).body.data;
    const before = await used(person);
    const leave = async (chatId: number) => {
      await remove(person, chatId);
      app.advanceClock(40 * DAY);
      await purge();
      app.resetClock();
    };
    await leave(chats[0]!);
    const rest = await used(person);
    expect(rest).toBeGreaterThan(0);
    expect(rest).toBeLessThan(before);
    await leave(chats[1]!);
    expect(await used(person)).toBe(0);
    const references = () => countRows(database().manager, BlobReferenceEntity, { userId: 0 });
    expect(await references()).toBe(3);
    await send(person, shared);
    expect(await used(person)).toBe(rest);
    await admin.post(`/admin/holds/${id}/release`, { reason: 'Settled.' });
    app.advanceClock(40 * DAY);
    await purge();
    app.resetClock();
    expect(await references()).toBe(0);
    expect(await used(person)).toBe(rest);
  });

  it('is counted when a conversation leaves the trash, and not before', async () => {
    const person = await newPerson();
    const [shared, single] = [newFile(), newFile(5_600)];
    const chat = await send(person, shared, single);
    const first = await used(person);
    expect(first).toBeGreaterThan(10_600 + ITEM);
    await send(person, shared);
    expect(await used(person)).toBe(first + ITEM);
    await remove(person, chat);
    await purge();
    expect(await used(person)).toBe(first + ITEM);
    app.advanceClock(31 * DAY);
    await purge();
    app.resetClock();
    expect(await used(person)).toBe(5_000 + ITEM);
  });

  it('is everything when the account is erased, and nothing of other accounts', async () => {
    const [person, friend] = [await newPerson(), await newPerson()];
    const shared = newFile();
    for (const { client, userId } of [person, friend]) {
      await send({ client, userId }, shared, newFile());
      await new ResponsesClient(app.origin, client.token, 'General assistant').create({ input: 'Hello' });
    }
    const before = await used(friend);
    for (const { erase } of app.app.get(PersonalDataRegistry).sources) {
      await erase(person.userId);
    }
    const { userId } = person;
    expect(await database().repository(UsageAccountEntity).findOneBy({ userId })).toMatchObject({ storedBytes: 0 });
    expect(await database().repository(StoredTextEntity).countBy({ userId })).toBe(0);
    expect(await used(friend)).toBe(before);
  });

  it('is correct when conversations with the same file are written and erased concurrently', async () => {
    const person = await newPerson();
    const file = newFile();
    for (let round = 0; round < 3; round++) {
      const chats = await Promise.all(Array.from({ length: 3 }, () => send(person, file)));
      const erasing = chats.map((id) => app.app.get(ChatRetention).erase([id]));
      const [kept] = await Promise.all([send(person, file), ...erasing]);
      expect(await used(person)).toBe(5_000 + ITEM);
      await app.app.get(ChatRetention).erase([kept]);
      expect(await used(person)).toBe(0);
    }
  });

  it('is a disk block for a smaller file, and the original count for one from an earlier version', async () => {
    const person = await newPerson();
    const [chat, other] = [await send(person, newFile(2)), await send(person, newFile(2))];
    expect(await used(person)).toBe(2 * (4_096 + ITEM));
    await app.app.get(ChatRetention).erase([chat]);
    expect(await used(person)).toBe(4_096 + ITEM);
    const { userId } = person;
    const former = await database().repository(BlobReferenceEntity).findOneByOrFail({ userId });
    await database().write(async (manager) => {
      await manager.update(BlobEntity, { hash: former.hash }, { countedBytes: null });
      await manager.update(UsageAccountEntity, { userId }, { storedBytes: 2 + ITEM });
    });
    await send(person, newFile(10_000));
    await app.app.get(ChatRetention).erase([other]);
    expect(await used(person)).toBe(10_000 + ITEM);
  });

  it('is not changed by another wording of a message with a file', async () => {
    const person = await newPerson();
    const chatId = await send(person, newFile());
    const before = await used(person);
    const [message] = (await person.client.read(chatId)).messages;
    const path = `/chat/${chatId}/messages/${message?.id}`;
    expect((await person.client.request(path, { method: 'PUT', body: { content: 'Again.' } })).status).toBe(200);
    expect(await used(person)).toBe(before);
  });

  it('is counted even if an earlier release without counts erased the messages', async () => {
    const person = await newPerson();
    const chatId = await send(person, newFile());
    await send(person, newFile(10_000));
    await database().write((manager) => manager.delete(MessageEntity, { chatId }));
    // However many instances find it concurrently.
    await Promise.all(Array.from({ length: 4 }, purge));
    expect(await used(person)).toBe(10_000 + ITEM);
  });

  it('counts files from an earlier version in the background, each once, even beyond the limit', async () => {
    const [person, friend] = [await newPerson(), await newPerson()];
    const [shared, own] = [newFile(), newFile(10_000)];
    await send(person, shared, own);
    const trashed = await send(person, shared);
    await remove(person, trashed);
    await send(friend, shared);
    const gone = await send(person, own);
    await database().write(async (manager) => {
      await manager.update(BlobReferenceEntity, { userId: Not(IsNull()) }, { userId: null });
      await manager.update(UsageAccountEntity, { userId: Not(0) }, { storedBytes: 0 });
      await manager.delete(StoredTextEntity, { userId: Not(0) });
      await manager.delete(MessageEntity, { chatId: gone });
    });
    // One that is stored during this counts the uncounted ones that it finds.
    await send(friend, shared);
    expect(await used(friend)).toBe(5_000 + ITEM);
    while (await app.app.get(FileUsers).count()) {
      // The next batch.
    }
    expect(await app.app.get(BlobReferences).messagesWithoutUser(10)).toEqual([]);
    expect(await used(person)).toBe(15_000);
    expect(await used(friend)).toBe(5_000 + ITEM);
  });

  it('is limited by the plan, or by an administrator for the user; administrators have no limit', async () => {
    const person = await newPerson();
    expect(await storage(person)).toEqual({ limit: 1_048_576, used: 0 });
    const paid = await app.newClient({ membershipType: 'monthly' });
    expect((await paid.request<QuotaDto>('/user/quota')).body.storage.limit).toBe(5_000 * 1_048_576);
    const own = await admin.put<AdminUserDto>(`/admin/users/${person.userId}`, { quota_storage: 20_000 });
    expect(own.body.data).toMatchObject({ quota_storage: 20_000 });
    await send(person, newFile(15_000));
    await expect(send(person, newFile(15_000))).rejects.toMatchObject({ code: 'STORAGE_QUOTA_EXCEEDED' });
    await admin.put(`/admin/users/${person.userId}`, { quota_storage: null });
    await send(person, newFile(15_000));
    const plan = await admin.put<PlanDto>('/admin/plans/free', { storage_bytes: 100 });
    expect(plan.body.data).toMatchObject({ storage_bytes: 100 });
    expect((await storage(person)).limit).toBe(100);
    await expect(send(person, newFile())).rejects.toMatchObject({
      status: 413,
      details: { limit: 100, used: 30_000 + 2 * ITEM },
    });
    expect((await admin.put<PlanDto>('/admin/plans/free', { storage_bytes: null })).body.data.storage_bytes).toBeNull();
    await send(person, newFile());
    expectFailure(await admin.put('/admin/plans/free', { storage_bytes: -1 }), 422, 'VALIDATION_ERROR');
    expect((await admin.get<QuotaDto>('/user/quota')).body).toMatchObject({ storage: { limit: null } });
  });

  it('sets the initial values for plans from an earlier version, and changes no other', async () => {
    const { url, drop } = await createMigratedDatabase();
    const environment = { ...app.environment, DATABASE_URL: url, QUOTA_PAID_STORAGE_MB: '7' };
    const first = await startInstance(environment);
    await first.app.get(Database).write(async (manager) => {
      await manager.update(PlanEntity, { membershipType: 'monthly' }, { storageBytes: -1 });
      await manager.update(PlanEntity, { membershipType: 'yearly' }, { storageBytes: null });
    });
    await first.app.close();
    const second = await startInstance(environment);
    const plans = await second.app.get(PlanService).list();
    expect(plans.map(({ storageBytes }) => storageBytes)).toEqual([1_048_576, 7 * 1_048_576, null]);
    await second.app.close();
    await drop();
  });
});
