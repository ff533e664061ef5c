import type { AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import { createUser, newcomer, receiveCode } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { expectScimFailure, ScimClient, type ScimList, USER } from '../support/scim-client';
import { made, useAdmin, useTestApp } from '../support/use-app';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/* Based on the public documents of the directories: their requests, and the order of these. */
describe('a directory', () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  const scim = made(beforeAll, () => ScimClient.of(app, admin));

  it('reads the capabilities of the service', async () => {
    const config = await scim.get('/ServiceProviderConfig');
    expect(config).toMatchObject({
      status: 200,
      body: { patch: { supported: true }, bulk: { supported: false }, filter: { supported: true, maxResults: 200 } },
    });
    expect(config.headers.get('content-type')).toContain('application/scim+json');
    const types = await scim.get<ScimList>('/ResourceTypes');
    expect(types.body.Resources).toMatchObject([
      { id: 'User', endpoint: '/Users', schema: USER },
      { id: 'Group', endpoint: '/Groups' },
    ]);
    expect((await scim.get('/ResourceTypes/User')).body).toMatchObject({ id: 'User' });
    const schemas = await scim.get<ScimList>('/Schemas');
    expect(schemas.body.totalResults).toBe(2);
    const { attributes } = (await scim.get<{ attributes: { name: string }[] }>(`/Schemas/${USER}`)).body;
    const names = attributes.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['userName', 'emails', 'active']));
    expect(names).not.toEqual(expect.arrayContaining(['password']));
    const { token } = await createUser(app);
    for (const path of ['ServiceProviderConfig', 'ResourceTypes', 'ResourceTypes/User', 'Schemas', `Schemas/${USER}`]) {
      expect((await call(`${app.origin}/scim/v2/${path}`, { token })).status).toBe(403);
    }
    expectScimFailure(await scim.get('/Schemas/urn:nothing'), 404);
    expectScimFailure(await scim.get('/ResourceTypes/Device'), 404);
  });

  it('tests its key by searching for a user who cannot exist, like Entra', async () => {
    const { status, body } = await scim.list('/Users', `userName eq "${newcomer().username}-test"`);
    expect({ status, body }).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });
  });

  it('like Entra creates, changes and suspends a user', async () => {
    const { username, email } = newcomer();
    const made = await scim.post('/Users', {
      schemas: [USER, ENTERPRISE],
      externalId: username,
      userName: email,
      active: true,
      displayName: 'Grace Hopper',
      emails: [{ primary: true, type: 'work', value: email }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Grace Hopper', familyName: 'Hopper', givenName: 'Grace' },
      [ENTERPRISE]: { department: 'Compilers', manager: { value: '1' } },
      addresses: [{ type: 'work', streetAddress: '1 Navy Way', primary: false }],
    });
    expect(made.status).toBe(201);
    const path = `/Users/${made.body.id}`;
    const { email: other } = newcomer();
    const changed = await scim.patch(
      path,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: other },
      { op: 'Add', path: 'name.familyName', value: 'Murray' },
      { op: 'Replace', path: 'displayName', value: 'Grace Murray' },
      { op: 'Replace', path: 'addresses[type eq "work"].streetAddress', value: '2 Navy Way' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Navy' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555 0100' },
      { op: 'Add', path: 'title', value: 'Rear Admiral' },
    );
    expect(changed).toMatchObject({
      status: 200,
      body: {
        displayName: 'Grace Murray',
        title: 'Rear Admiral',
        name: { familyName: 'Murray', givenName: 'Grace' },
        emails: [{ value: other, type: 'work' }],
      },
    });
    // A text instead of a boolean.
    const off = await scim.patch(path, { op: 'Replace', path: 'active', value: 'False' });
    expect(off).toMatchObject({ status: 200, body: { active: false } });
    const on = await scim.patch(path, { op: 'Replace', value: { active: 'True' } });
    expect(on).toMatchObject({ status: 200, body: { active: true } });
    expect((await scim.delete(path)).status).toBe(204);
  });

  it('like Okta creates a user, replaces the whole user, and deactivates the user', async () => {
    const { username, email } = newcomer();
    const whole = {
      schemas: [USER],
      userName: email,
      name: { givenName: 'Katherine', familyName: 'Johnson' },
      emails: [{ primary: true, value: email, type: 'work' }],
      displayName: 'Katherine Johnson',
      locale: 'en-US',
      externalId: username,
      groups: [],
      password: '1mz050nq',
      active: true,
    };
    expect((await scim.list('/Users', `userName eq "${email}"`)).body.totalResults).toBe(0);
    const made = await scim.post('/Users', whole);
    expect(made).toMatchObject({ status: 201, body: { locale: 'en-US', active: true } });
    const { id } = made.body;
    const read = (await scim.get(`/Users/${id}`)).body;
    const put = await scim.put(`/Users/${id}`, {
      ...read,
      displayName: 'Katherine G. Johnson',
      title: 'Mathematician',
    });
    expect(put).toMatchObject({ status: 200, body: { displayName: 'Katherine G. Johnson', title: 'Mathematician' } });
    expect((await scim.put(`/Users/${id}`, { ...put.body, active: false })).body.active).toBe(false);
    expect((await admin.get(`/admin/users/${id}`)).body.data).toMatchObject({ status: 'suspended' });
    expect((await scim.put(`/Users/${id}`, { ...put.body, active: true })).body.active).toBe(true);
  });

  describe('that follows the examples in RFC 7644', () => {
    it('creates (§3.3), reads (§3.4.1), replaces (§3.5.1) and deletes (§3.6)', async () => {
      const { email, username } = newcomer();
      const created = await scim.post('/Users', {
        schemas: [USER],
        userName: email,
        externalId: username,
        name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
      });
      expect(created).toMatchObject({ status: 201, body: { meta: { resourceType: 'User' } } });
      const path = `/Users/${created.body.id}`;
      expect((await scim.get(path)).body).toEqual(created.body);
      const replaced = await scim.put(path, {
        schemas: [USER],
        id: created.body.id,
        userName: email,
        externalId: username,
        name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara', middleName: 'Jane' },
        roles: [],
        emails: [{ value: email }, { value: `b.${email}` }],
      });
      expect(replaced).toMatchObject({
        status: 200,
        body: { name: { middleName: 'Jane' }, emails: [{ value: email }] },
      });
      expect((await scim.delete(path)).status).toBe(204);
      expectScimFailure(await scim.delete(path), 404);
    });

    it('modifies with add, remove and replace (§3.5.2)', async () => {
      const { id } = await scim.person({ nickName: 'Babs', title: 'Guide' });
      const path = `/Users/${id}`;
      const without = await scim.patch(path, { op: 'remove', path: 'nickName' });
      expect(without.body).not.toHaveProperty('nickName');
      const added = await scim.patch(path, { op: 'add', value: { nickName: 'Babs', title: 'Tour Guide' } });
      expect(added.body).toMatchObject({ nickName: 'Babs', title: 'Tour Guide' });
      expectScimFailure(await scim.patch(path, { op: 'remove' }), 400, 'noTarget');
      expectScimFailure(await scim.patch(path, { op: 'replace', path: 'nothing', value: 1 }), 400, 'invalidPath');
      expectScimFailure(await scim.patch(path, { op: 'turn', path: 'title', value: 'x' }), 400, 'invalidSyntax');
      expectScimFailure(await scim.patch(path, { op: 'replace', path: 'id', value: '1' }), 400, 'mutability');
      expectScimFailure(await scim.patch(path), 400, 'invalidValue');
      expectScimFailure(await scim.request('PATCH', path, { Operations: [{ op: 'add' }] }), 400, 'invalidSyntax');
      expectScimFailure(await scim.patch(path, { op: 'remove', path: 'userName' }), 400, 'invalidValue');
    });

    it('gets errors in the form of §3.12, including unknown routes', async () => {
      expectScimFailure(await scim.get('/Users/2819c223'), 404);
      expectScimFailure(await scim.post('/Bulk', {}), 404);
      expectScimFailure(await scim.get('/Me'), 404);
    });
  });

  it('loses its access with its key, and with its provider', async () => {
    const own = await ScimClient.of(app, admin);
    const { id } = await own.group({ members: [{ value: (await own.person()).id }] });
    const removed = await admin.delete(`/admin/identity_providers/${own.providerId}?force=true`);
    expect(removed.status).toBe(200);
    expectScimFailure(await own.get('/Users'), 403);
    const left = await admin.get(`/admin/groups/${id}`);
    expect(left.body.data).toMatchObject({ managed_by: 'admin', member_count: 0 });
    const keys = await admin.items<{ id: number }>(`/admin/api-keys?user_id=${own.serviceId}`);
    await admin.delete(`/admin/api-keys/${keys[0]?.id}`);
    expectScimFailure(await own.get('/Users'), 401);
  });

  it("cancels the pending codes to a user's old and new address", async () => {
    const trusted = await ScimClient.of(app, admin, { email_trusted: true });
    const { email: former } = await createUser(app);
    const { email } = newcomer();
    const taken = await trusted.post('/Users', { schemas: [USER], userName: former });
    const codes = [
      { email: former, code: await receiveCode(app, former, 'login') },
      { email, code: await receiveCode(app, email, 'register') },
    ];
    const change = { op: 'replace', path: 'emails[type eq "work"].value', value: email };
    expect((await trusted.patch(`/Users/${taken.body.id}`, change)).status).toBe(200);
    for (const body of codes) {
      expectFailure(await call(`${app.url}/auth/verify`, { body }), 400, 'INVALID_CODE');
    }
  });

  it('no longer sees a user who came with an account and unlinks its provider', async () => {
    const trusted = await ScimClient.of(app, admin, { email_trusted: true });
    const { user, token } = await createUser(app);
    await trusted.post('/Users', { schemas: [USER], userName: user.email, externalId: user.username });
    const [identity] = (await call<{ id: number }[]>(`${app.url}/user/identities`, { token })).body;
    await call(`${app.url}/user/identities/${identity?.id}`, { method: 'DELETE', token });
    expectScimFailure(await trusted.get(`/Users/${user.id}`), 404);
    expect((await trusted.list('/Users', `externalId eq "${user.username}"`)).body.totalResults).toBe(0);
  });

  it('has its own rate limit', async () => {
    const { headers } = await scim.get('/ServiceProviderConfig');
    expect(headers.get('x-ratelimit-limit')).toBe('1200');
    const elsewhere = await call(`${app.url}/chat`, { token: scim.key });
    expect(elsewhere.headers.get('x-ratelimit-limit')).not.toBe('1200');
  });

  it('is identified in the log by its key', async () => {
    const { id } = await scim.group();
    const [entry] = await admin.items<AuditLogDto>(`/admin/audit_logs?action=group.create&target=group:${id}`);
    expect(entry).toMatchObject({ actor_id: scim.serviceId, api_key_id: expect.any(Number) });
  });

  describe('has a key', () => {
    const create = async (body: object, service = scim.serviceId) =>
      admin.post(`/admin/users/${service}/api-keys`, { name: 'directory', ...body });

    it('that names its provider, which no other key does', async () => {
      const { providerId: identity_provider_id } = scim;
      expectFailure(await create({ scopes: ['scim'] }), 422, 'VALIDATION_ERROR');
      expectFailure(await create({ scopes: ['chat:read'], identity_provider_id }), 422, 'VALIDATION_ERROR');
      expectFailure(await create({ scopes: ['scim'], identity_provider_id: 999_999 }), 422, 'VALIDATION_ERROR');
      const made = await create({ scopes: ['scim'], identity_provider_id });
      expect(made).toMatchObject({ status: 201, body: { data: { identity_provider_id } } });
      const [entry] = await admin.entriesOf(made);
      expect(entry).toMatchObject({ action: 'api_key.create', after: { identity_provider_id } });
    });

    it('that no user creates personally, and that opens nothing else', async () => {
      const { token } = await createUser(app);
      const body = { name: 'mine', scopes: ['scim'] };
      expectFailure(await call(`${app.url}/user/api-keys`, { token, body }), 422, 'VALIDATION_ERROR');
      const own = await call(`${app.url}/user/api-keys`, { token: admin.account.token, body });
      expectFailure(own, 422, 'VALIDATION_ERROR');
      expectFailure(await call(`${app.url}/admin/users`, { token: scim.key }), 403, 'SCOPE_REQUIRED');
      expectFailure(await call(`${app.url}/chat`, { token: scim.key }), 403, 'SCOPE_REQUIRED');
    });
  });
});
