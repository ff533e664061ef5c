// @databases mariadb mysql: rights in SQL over several tables
import type { GroupDto } from '../../src/modules/group/administration/group.dto';
import type { KnowledgeDto } from '../../src/modules/knowledge/collections/store.dto';
import type { FileDto } from '../../src/modules/knowledge/files/file.dto';
import { FileReceiver } from '../../src/modules/knowledge/files/file-receiver';
import { newcomer } from '../support/accounts';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { completeEntry, formOf, KnowledgeClient, WITHOUT_INGESTION } from '../support/knowledge';
import { reinstate, suspend } from '../support/suspensions';
import { UnfinishedBody } from '../support/unfinished-body';
import { useAdmin, useOwnChatApp } from '../support/use-app';

const ROLES = ['owner', 'editor', 'reader', 'stranger', 'administrator'] as const;

type Role = (typeof ROLES)[number];

/** The statuses in the order of `ROLES`. */
type Statuses = [owner: number, editor: number, reader: number, stranger: number, administrator: number];

const READ: Statuses = [200, 200, 200, 404, 404];
const WRITE: Statuses = [200, 200, 403, 404, 404];
const OWN: Statuses = [200, 403, 403, 404, 404];

describe('the rights in a collection', () => {
  const app = useOwnChatApp(WITHOUT_INGESTION);
  const admin = useAdmin(app);
  let people: Record<Role, KnowledgeClient>;
  let groups: { editors: GroupDto; readers: GroupDto };
  /** Shared with the groups. */
  let shared: KnowledgeDto;
  let file: FileDto;

  async function groupOf(member: KnowledgeClient): Promise<GroupDto> {
    const { data } = (await admin.post<GroupDto>('/admin/groups', { name: newcomer().username })).body;
    await admin.post(`/admin/groups/${data.id}/members`, { user_id: member.id });
    return data;
  }

  beforeAll(async () => {
    const made = await Promise.all(ROLES.slice(0, -1).map(() => KnowledgeClient.of(app)));
    const [owner, editor, reader, stranger] = made;
    const administrator = new KnowledgeClient(app, admin.account);
    people = { owner, editor, reader, stranger, administrator } as Record<Role, KnowledgeClient>;
    groups = { editors: await groupOf(people.editor), readers: await groupOf(people.reader) };
    await Promise.all(
      [groups.editors, groups.readers].map(({ id }) =>
        admin.post(`/admin/groups/${id}/members`, { user_id: people.owner.id }),
      ),
    );
    shared = await people.owner.createStore({
      access: {
        groups: [
          { group_id: groups.editors.id, role: 'editor' },
          { group_id: groups.readers.id, role: 'reader' },
        ],
      },
    });
    file = await people.owner.addText(shared.id);
  });

  /** A new collection with one file, for routes that change it. */
  async function another(): Promise<{ store: KnowledgeDto; file: FileDto }> {
    const { access } = await people.owner.data<KnowledgeDto>(`/knowledge/${shared.id}`);
    const store = await people.owner.createStore({ access });
    return { store, file: await people.owner.addText(store.id) };
  }

  const ROUTES: [string, (client: KnowledgeClient) => Promise<number>, Statuses][] = [
    ['GET /knowledge/{id}', (client) => status(client, `/knowledge/${shared.id}`), READ],
    ['GET /knowledge/{id}/files', (client) => status(client, `/knowledge/${shared.id}/files`), READ],
    ['GET …/files/{file_id}', (client) => status(client, `/knowledge/${shared.id}/files/${file.id}`), READ],
    ['GET …/text', (client) => status(client, `/knowledge/${shared.id}/files/${file.id}/text`), READ],
    ['GET /files/{id}', (client) => status(client, `/files/${file.id}`), READ],
    ['GET /files/{id}/content', (client) => status(client, `/files/${file.id}/content`), READ],
    [
      'PUT …/files/{file_id}',
      (client) => status(client, `/knowledge/${shared.id}/files/${file.id}`, 'PUT', { attributes: { year: 2026 } }),
      WRITE,
    ],
    ['POST …/retry', (client) => status(client, `/knowledge/${shared.id}/files/${file.id}/retry`, 'POST', {}), WRITE],
    [
      'POST …/files (form)',
      async (client) => {
        const { store } = await another();
        return (await client.send(`/knowledge/${store.id}/files`, { ...formOf({ content: 'more' }) })).status;
      },
      [201, 201, 403, 404, 404],
    ],
    [
      'POST …/files (JSON)',
      async (client) => {
        const { store } = await another();
        const { id } = await client.upload();
        return status(client, `/knowledge/${store.id}/files`, 'POST', { file_id: id });
      },
      [201, 201, 403, 404, 404],
    ],
    [
      'DELETE …/files/{file_id}',
      async (client) => {
        const made = await another();
        return status(client, `/knowledge/${made.store.id}/files/${made.file.id}`, 'DELETE');
      },
      WRITE,
    ],
    ['PUT /knowledge/{id}', (client) => status(client, `/knowledge/${shared.id}`, 'PUT', { name: 'Handbooks' }), OWN],
    [
      'DELETE /knowledge/{id}',
      async (client) => status(client, `/knowledge/${(await another()).store.id}`, 'DELETE'),
      OWN,
    ],
    ['DELETE /files/{id}', async (client) => status(client, `/files/${(await another()).file.id}`, 'DELETE'), OWN],
  ];

  async function status(client: KnowledgeClient, path: string, method = 'GET', body?: unknown): Promise<number> {
    return (await client.send(path, { method, body })).status;
  }

  it.each(ROUTES)('of %s depend on the role', async (_name, request, expected) => {
    const found = [];
    for (const role of ROLES) {
      found.push(await request(people[role]));
    }
    expect(found).toEqual(expected);
  });

  it('say which role is needed, and nothing about collections that the caller may not read', async () => {
    const { reader, editor, stranger } = people;
    const path = `/knowledge/${shared.id}`;
    const needsEditor = await reader.send(`${path}/files/${file.id}`, { method: 'DELETE' });
    expect(expectFailure(needsEditor, 403, 'KNOWLEDGE_ROLE_REQUIRED').details).toEqual({ role: 'editor' });
    const needsOwner = await editor.send(path, { method: 'DELETE' });
    expect(expectFailure(needsOwner, 403, 'KNOWLEDGE_ROLE_REQUIRED').details).toEqual({ role: 'owner' });
    const hidden = await stranger.send(path);
    const missing = await stranger.send('/knowledge/999999999');
    expect(expectFailure(hidden, 404, 'KNOWLEDGE_NOT_FOUND')).toEqual(
      expectFailure(missing, 404, 'KNOWLEDGE_NOT_FOUND'),
    );
    expectFailure(await stranger.send(`/files/${file.id}`), 404, 'FILE_NOT_FOUND');
  });

  it('show each user the own role, and readers not who else may read', async () => {
    const roles = await Promise.all(
      [people.owner, people.editor, people.reader].map((client) =>
        client.data<KnowledgeDto>(`/knowledge/${shared.id}`),
      ),
    );
    expect(roles.map(({ my_role }) => my_role)).toEqual(['owner', 'editor', 'reader']);
    expect(roles.map(({ access }) => access?.groups?.length ?? null)).toEqual([2, 2, null]);
    const editing = await people.editor.items<KnowledgeDto>('/knowledge?role=editor&size=100');
    expect(editing.map(({ id }) => id)).toContain(shared.id);
    expect(await people.editor.items('/knowledge?role=owner')).toEqual([]);
    expect(await people.stranger.items('/knowledge?role=reader')).toEqual([]);
  });

  it('end with the next request on every instance when a member leaves the group', async () => {
    const member = await KnowledgeClient.of(app);
    await admin.post(`/admin/groups/${groups.readers.id}/members`, { user_id: member.id });
    expect(await status(member, `/files/${file.id}`)).toBe(200);
    await admin.delete(`/admin/groups/${groups.readers.id}/members/${member.id}`);
    expect(await status(member, `/files/${file.id}`)).toBe(404);
    expect(await status(member, `/knowledge/${shared.id}`)).toBe(404);
  });

  it('must still be there when an upload into a collection is complete', async () => {
    const member = await KnowledgeClient.of(app);
    await admin.post(`/admin/groups/${groups.editors.id}/members`, { user_id: member.id });
    const { raw, headers } = formOf({ content: 'a late file' });
    const url = `${app.url}/knowledge/${shared.id}/files`;
    const body = await UnfinishedBody.begin(url, member.account.token, raw.length, headers['content-type']);
    await body.write(Buffer.from(raw).subarray(0, 150).toString());
    await eventually(() => app.app.get(FileReceiver)['underWay'].get(member.id) === 1);
    await admin.delete(`/admin/groups/${groups.editors.id}/members/${member.id}`);
    await body.write(Buffer.from(raw).subarray(150).toString());
    await eventually(() => /^HTTP\/1\.1 404 [^]*KNOWLEDGE_NOT_FOUND/i.test(body.answer));
    expect(await member.items('/files')).toEqual([]);
  });

  it('end when the group is deleted', async () => {
    const member = await KnowledgeClient.of(app);
    const group = await groupOf(member);
    await admin.post(`/admin/groups/${group.id}/members`, { user_id: people.owner.id });
    const { id } = await people.owner.createStore({ access: { groups: [{ group_id: group.id, role: 'reader' }] } });
    expect(await status(member, `/knowledge/${id}`)).toBe(200);
    await admin.delete(`/admin/groups/${group.id}`);
    expect(await status(member, `/knowledge/${id}`)).toBe(404);
    expect((await people.owner.data<KnowledgeDto>(`/knowledge/${id}`)).access).toEqual({ everyone: null, groups: [] });
  });

  it('are shared only with own groups; administrators share with all', async () => {
    const foreign = await groupOf(people.stranger);
    const sharedWith = (groupId: number) => ({ access: { groups: [{ group_id: groupId, role: 'reader' }] } });
    const { owner, administrator } = people;
    const { id } = await owner.createStore();
    const put = (body: object) => owner.send(`/knowledge/${id}`, { method: 'PUT', body });
    expectFailure(await put(sharedWith(foreign.id)), 403, 'FORBIDDEN');
    expectFailure(await put(sharedWith(999_999_999)), 422, 'VALIDATION_ERROR');
    expectFailure(await put({ access: { everyone: 'reader' } }), 403, 'FORBIDDEN');
    expectFailure(await owner.send('/knowledge', { body: { name: 'x', ...sharedWith(foreign.id) } }), 403, 'FORBIDDEN');
    const ofAdmin = await administrator.createStore({
      access: { everyone: 'reader', ...sharedWith(foreign.id).access },
    });
    expect(await status(people.stranger, `/knowledge/${ofAdmin.id}`)).toBe(200);
    // What was shared before is not checked again.
    await admin.put(`/admin/knowledge/${id}`, sharedWith(foreign.id));
    expect((await put({ ...sharedWith(foreign.id), name: 'Renamed' })).status).toBe(200);
  });

  it('hide the collections and files of a banned owner, and not those of a suspended one', async () => {
    const owner = await KnowledgeClient.of(app);
    await admin.post(`/admin/groups/${groups.readers.id}/members`, { user_id: owner.id });
    await admin.post(`/admin/groups/${groups.editors.id}/members`, { user_id: owner.id });
    const store = await owner.createStore({ access: { groups: [{ group_id: groups.readers.id, role: 'reader' }] } });
    const theirs = await owner.addText(store.id);
    // A file of the same owner in another user's collection.
    const own = await owner.upload({ content: 'in a collection of another user' });
    await owner.attach(shared.id, own.id);
    await completeEntry(app, shared.id, own.id, 'in a collection of another user');
    const { reader } = people;
    const seen = async () => [
      await status(reader, `/knowledge/${store.id}`),
      await status(reader, `/files/${theirs.id}`),
      await status(reader, `/knowledge/${shared.id}/files/${own.id}`),
      await status(reader, `/files/${own.id}`),
    ];
    expect(await seen()).toEqual([200, 200, 200, 200]);
    await suspend(app, owner.id);
    expect(await seen()).toEqual([200, 200, 200, 200]);
    await reinstate(app, owner.id);
    await admin.post(`/admin/users/${owner.id}/ban`, { reason: 'abuse' });
    expect(await seen()).toEqual([404, 404, 404, 404]);
    const listed = await reader.items<{ file_id: number }>(`/knowledge/${shared.id}/files`);
    expect(listed.map(({ file_id }) => file_id)).not.toContain(own.id);
    await admin.post(`/admin/users/${owner.id}/unban`);
    expect(await seen()).toEqual([200, 200, 200, 200]);
  });
});
