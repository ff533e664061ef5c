// @databases mariadb: rows of several tables in one transaction
import { Database } from '../../src/database/database';
import type { EntryDto } from '../../src/modules/knowledge/collections/entry.dto';
import { PassageCleanup } from '../../src/modules/knowledge/collections/passage-cleanup';
import type { KnowledgeDto } from '../../src/modules/knowledge/collections/store.dto';
import { KnowledgeRetention } from '../../src/modules/knowledge/knowledge.retention';
import {
  KnowledgeAttributeEntity,
  KnowledgeEntryEntity,
} from '../../src/modules/knowledge/tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from '../../src/modules/knowledge/tables/knowledge-file.entity';
import { KnowledgePassageEntity } from '../../src/modules/knowledge/tables/knowledge-passage.entity';
import { KnowledgeStoreEntity } from '../../src/modules/knowledge/tables/knowledge-store.entity';
import {
  KnowledgeTextEntity,
  KnowledgeTextPieceEntity,
} from '../../src/modules/knowledge/tables/knowledge-text.entity';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import { newcomer } from '../support/accounts';
import { EventFeedReader } from '../support/event-feed-reader';
import { call, expectFailure } from '../support/http';
import { failEntry, KnowledgeClient, WITHOUT_INGESTION } from '../support/knowledge';
import { useAdmin, useOwnChatApp } from '../support/use-app';

describe('files and collections', () => {
  const app = useOwnChatApp(WITHOUT_INGESTION);
  const admin = useAdmin(app);
  let client: KnowledgeClient;

  beforeEach(async () => {
    client = await KnowledgeClient.of(app);
  });

  async function groupOf(...members: KnowledgeClient[]): Promise<number> {
    const { id } = (await admin.post<{ id: number }>('/admin/groups', { name: newcomer().username })).body.data;
    for (const member of members) {
      await admin.post(`/admin/groups/${id}/members`, { user_id: member.id });
    }
    return id;
  }

  const erase = async (userId: number) => {
    for (const source of app.app.get(PersonalDataRegistry).sources) {
      if (['knowledge', 'files'].includes(source.name)) await source.erase(userId);
    }
  };

  it('are exported with texts, entries and attributes', async () => {
    const store = await client.createStore({ description: 'How we work.' });
    const file = await client.addText(store.id, 'Holidays are in May.');
    await client.data(`/knowledge/${store.id}/files/${file.id}`, {
      method: 'PUT',
      body: { attributes: { year: 2026 } },
    });
    const { body } = await call<Record<string, object[]>>(`${app.url}/user/export`, { token: client.account.token });
    expect(body.files).toEqual([
      expect.objectContaining({
        id: file.id,
        name: 'notes.txt',
        data: Buffer.from('Holidays are in May.').toString('base64'),
        text: 'Holidays are in May.',
      }),
    ]);
    expect(body.knowledge).toEqual([
      expect.objectContaining({
        id: store.id,
        name: 'Handbooks',
        description: 'How we work.',
        files: [expect.objectContaining({ file_id: file.id, attributes: { year: 2026 } })],
      }),
    ]);
  });

  it('are erased with the account if no other user may read them', async () => {
    const store = await client.createStore();
    const file = await client.addText(store.id, 'A private text.');
    const { manager } = app.app.get(Database);
    const text = await manager.findOneByOrFail(KnowledgeTextEntity, { ownerId: client.id });
    const entry = await manager.findOneByOrFail(KnowledgeEntryEntity, { storeId: store.id });
    await erase(client.id);
    const left = await Promise.all([
      manager.countBy(KnowledgeStoreEntity, { id: store.id }),
      manager.countBy(KnowledgeFileEntity, { id: file.id }),
      manager.countBy(KnowledgeEntryEntity, { storeId: store.id }),
      manager.countBy(KnowledgePassageEntity, { storeId: store.id }),
      manager.countBy(KnowledgeAttributeEntity, { entryId: entry.id }),
      manager.countBy(KnowledgeTextEntity, { id: text.id }),
      manager.countBy(KnowledgeTextPieceEntity, { textId: text.id }),
    ]);
    expect(left).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('pass to the service at the end of the account if others may read them, without a trace of the person', async () => {
    const reader = await KnowledgeClient.of(app);
    const group = await groupOf(client, reader);
    const store = await client.createStore({ access: { groups: [{ group_id: group, role: 'reader' }] } });
    const file = await client.addText(store.id, 'A shared text.');
    const unused = await client.upload({ content: 'in no collection' });
    const path = `/knowledge/${store.id}/files/${file.id}/text`;
    expect(await reader.data(path)).toMatchObject({ text: 'A shared text.' });
    await erase(client.id);
    expect(await reader.data(path)).toMatchObject({ text: 'A shared text.' });
    expect(await reader.data(`/knowledge/${store.id}`)).toMatchObject({ owner: null, files: { completed: 1 } });
    expectFailure(await client.send(`/files/${unused.id}`), 404, 'FILE_NOT_FOUND');
    const { manager } = app.app.get(Database);
    const rows = [
      ...(await manager.findBy(KnowledgeStoreEntity, { id: store.id })),
      ...(await manager.findBy(KnowledgeFileEntity, { id: file.id })),
      ...(await manager.findBy(KnowledgeTextEntity, { ownerId: client.id })),
    ];
    expect(rows.filter((row) => row.ownerId === client.id)).toEqual([]);
    expect(await manager.countBy(KnowledgeEntryEntity, { addedBy: client.id })).toBe(0);
    const assigned = await admin.put<KnowledgeDto>(`/admin/knowledge/${store.id}`, { owner_id: reader.id });
    expect(assigned.body.data.owner).toEqual({ id: reader.id, username: reader.account.user.username });
    expect(await admin.entriesOf(assigned)).toMatchObject([
      { action: 'knowledge.update', before: { owner_id: null }, after: { owner_id: reader.id } },
    ]);
    // A file of the service that is in no collection is removed.
    await reader.data(`/knowledge/${store.id}`, { method: 'DELETE' });
    await app.app.get(PassageCleanup).clean();
    await app.app.get(KnowledgeRetention).removeExpired();
    expect(await manager.countBy(KnowledgeFileEntity, { id: file.id })).toBe(0);
  });

  it('keep a shared text at the end of the account if the person has the same bytes in another file', async () => {
    const reader = await KnowledgeClient.of(app);
    const group = await groupOf(client, reader);
    const access = { groups: [{ group_id: group, role: 'reader' }] };
    const [shared, own] = [await client.createStore({ access }), await client.createStore()];
    const text = 'The same text twice.';
    const [kept, erased] = [await client.addText(shared.id, text), await client.addText(own.id, text)];
    await erase(client.id);
    const path = `/knowledge/${shared.id}/files/${kept.id}`;
    expect(await reader.data(`${path}/text`)).toMatchObject({ text });
    const { manager } = app.app.get(Database);
    expect(await manager.countBy(KnowledgeFileEntity, { id: erased.id })).toBe(0);
    expect(await manager.countBy(KnowledgeTextEntity, { ownerId: client.id })).toBe(0);
  });

  it('publish events to the owner, and about entries also to the user who added the file', async () => {
    const owner = await KnowledgeClient.of(app);
    const group = await groupOf(client, owner);
    const feeds = [await feedOf(owner), await feedOf(client)] as const;
    const store = await owner.createStore({ access: { groups: [{ group_id: group, role: 'editor' }] } });
    const [good, bad] = [await client.addText(store.id), await client.upload({ content: 'bad' })];
    await client.attach(store.id, bad.id);
    await failEntry(app, store.id, bad.id, 'no_text');
    await client.data(`/files/${good.id}`, { method: 'DELETE' });
    await owner.data(`/knowledge/${store.id}`, { method: 'PUT', body: { name: 'Renamed' } });
    await owner.data(`/knowledge/${store.id}`, { method: 'DELETE' });
    const entry = (file: { id: number }) => ({ store_id: store.id, file_id: file.id });
    const ofStore = { store_id: store.id, owner_id: owner.id };
    expect((await feeds[0].until(8)).map(({ kind: type, body }) => ({ type, data: body.data }))).toEqual([
      { type: 'knowledge.created', data: ofStore },
      { type: 'knowledge.file_added', data: entry(good) },
      { type: 'knowledge.file_completed', data: entry(good) },
      { type: 'knowledge.file_added', data: entry(bad) },
      { type: 'knowledge.file_failed', data: { ...entry(bad), error: 'no_text' } },
      { type: 'knowledge.file_removed', data: entry(good) },
      { type: 'knowledge.updated', data: ofStore },
      { type: 'knowledge.deleted', data: ofStore },
    ]);
    expect((await feeds[1].until(8)).map(({ kind }) => kind)).toEqual([
      'file.created',
      'knowledge.file_added',
      'knowledge.file_completed',
      'file.created',
      'knowledge.file_added',
      'knowledge.file_failed',
      'knowledge.file_removed',
      'file.deleted',
    ]);
    await Promise.all(feeds.map((feed) => feed.cut()));
  });

  const feedOf = ({ account }: KnowledgeClient) => EventFeedReader.open(app.url, { token: account.token });

  it('are changed and read by administrators only with a reason that the audit log has', async () => {
    const store = await client.createStore();
    const file = await client.addText(store.id);
    const seen = (await admin.get<KnowledgeDto>(`/admin/knowledge/${store.id}`)).body.data;
    expect(seen).toMatchObject({ name: 'Handbooks', owner: { id: client.id }, files: { total: 1 } });
    const listed = await admin.items<KnowledgeDto>(`/admin/knowledge?owner_id=${client.id}`);
    expect(listed.map(({ id }) => id)).toEqual([store.id]);
    const text = `/admin/knowledge/${store.id}/files/${file.id}/text?reason=Complaint`;
    expectFailure(await admin.get(text), 403, 'FORBIDDEN');
    const becomingReader = { owner_id: admin.id, reason: 'Left the company.' };
    expectFailure(await admin.put(`/admin/knowledge/${store.id}`, becomingReader), 403, 'FORBIDDEN');
    // The service's collections are shared by administrators, so this would be the first of two steps.
    const taking = { owner_id: null, reason: 'Left the company.' };
    expectFailure(await admin.put(`/admin/knowledge/${store.id}`, taking), 403, 'FORBIDDEN');
    expect(await client.data(`/knowledge/${store.id}`)).toMatchObject({ my_role: 'owner' });
    const trusted = await admin.put<KnowledgeDto>(`/admin/knowledge/${store.id}`, { trusted: true });
    expect(await admin.entriesOf(trusted)).toMatchObject([{ before: { trusted: false }, after: { trusted: true } }]);
    const adding = await client.sendFile({}, `/knowledge/${store.id}/files`);
    expectFailure(adding, 403, 'FORBIDDEN');
    await admin.delete(`/admin/knowledge/${store.id}`);
    expectFailure(await client.send(`/knowledge/${store.id}`), 404, 'KNOWLEDGE_NOT_FOUND');
    expectFailure(await admin.get(`/admin/knowledge/${store.id}`), 404, 'KNOWLEDGE_NOT_FOUND');
  });

  it('need attention if files failed because of the service', async () => {
    const store = await client.createStore();
    const [ours, theirs] = [await client.upload({ content: 'a' }), await client.upload({ content: 'b' })];
    await client.attach(store.id, ours.id);
    await client.attach(store.id, theirs.id);
    await failEntry(app, store.id, theirs.id, 'encrypted');
    const items = async () =>
      (await admin.get<{ kind: string; count: number }[]>('/admin/attention')).body.data.filter(
        ({ kind }) => kind === 'knowledge_failed',
      );
    expect(await items()).toEqual([]);
    await failEntry(app, store.id, ours.id, 'internal');
    expect(await items()).toMatchObject([{ count: 1, since: expect.any(String) }]);
    const entry = await client.data<EntryDto>(`/knowledge/${store.id}/files/${ours.id}`);
    expect(entry.error?.code).toBe('internal');
  });
});

describe('texts of collections', () => {
  const app = useOwnChatApp({ ...WITHOUT_INGESTION, ADMIN_CONTENT_ACCESS: 'true' });
  const admin = useAdmin(app);

  it('are shown to administrators after a log entry, if the operator allows it', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    const file = await client.addText(store.id, 'A text.');
    const path = `/admin/knowledge/${store.id}`;
    expectFailure(await admin.get(`${path}/files/${file.id}/text`), 400, 'VALIDATION_ERROR');
    const read = await admin.get<{ text: string }>(`${path}/files/${file.id}/text?reason=Complaint`);
    expect(read.body.data).toMatchObject({ text: 'A text.' });
    expect(await admin.entriesOf(read)).toMatchObject([{ action: 'knowledge.read', reason: 'Complaint' }]);
    expectFailure(await admin.put(path, { access: { everyone: 'reader' } }), 422, 'VALIDATION_ERROR');
    expectFailure(await admin.put(path, { owner_id: null }), 422, 'VALIDATION_ERROR');
    const opened = await admin.put(path, { access: { everyone: 'reader' }, reason: 'Complaint' });
    expect(opened.status).toBe(200);
    expect(await admin.entriesOf(opened)).toMatchObject([{ action: 'knowledge.update', reason: 'Complaint' }]);
  });
});
