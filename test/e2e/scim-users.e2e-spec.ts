// @databases mariadb mysql: collation
import type { AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import { createUser, newcomer, PASSWORD } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { call, expectFailure } from '../support/http';
import { expectScimFailure, ScimClient, USER } from '../support/scim-client';
import { made, useAdmin, useTestApp } from '../support/use-app';

describe('directory users', () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  const scim = made(beforeAll, () => ScimClient.of(app, admin));
  const adminView = async (id: string) => (await admin.get<Record<string, unknown>>(`/admin/users/${id}`)).body.data;

  it('are created, with an address and without their own login', async () => {
    const { email, username } = newcomer();
    const answer = await scim.post('/Users', {
      schemas: [USER],
      userName: email.toUpperCase(),
      externalId: username,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      displayName: `Ada ${username}`,
      emails: [{ value: email, type: 'work', primary: true }],
      active: true,
      password: 'not taken',
      roles: [{ value: 'admin' }],
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toContain('application/scim+json');
    const { id } = answer.body;
    expect(answer.body).toEqual({
      schemas: [USER],
      id: expect.stringMatching(/^\d+$/),
      externalId: username,
      userName: email.toUpperCase(),
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      displayName: `Ada ${username}`,
      active: true,
      emails: [{ value: email, type: 'work', primary: true }],
      meta: {
        resourceType: 'User',
        created: expect.any(String),
        lastModified: expect.any(String),
        location: `${app.origin}/scim/v2/Users/${id}`,
      },
    });
    expect(answer.headers.get('location')).toBe(`${app.origin}/scim/v2/Users/${id}`);
    expect(await adminView(id)).toMatchObject({
      email,
      username: `Ada.${username}`,
      user_type: 'normal',
      status: 'active',
    });
    const login = await call(`${app.url}/auth/login`, { body: { email, password: 'not taken' } });
    expectFailure(login, 401, 'INVALID_CREDENTIALS');
    expect((await scim.get(`/Users/${id}`)).body).toEqual(answer.body);
    const [entry] = await admin.items<AuditLogDto>(`/admin/audit_logs?action=user.create&target=user:${id}`);
    expect(entry).toMatchObject({ actor_id: scim.serviceId, api_key_id: expect.any(Number), subject_id: Number(id) });
  });

  it('are found by name, external id and id, with the name in any case', async () => {
    const person = await scim.person();
    const { userName, externalId, id } = person;
    for (const filter of [
      `userName eq "${userName}"`,
      `userName eq "${userName.toUpperCase()}"`,
      `externalId eq "${externalId}"`,
      `id eq "${id}"`,
      `USERNAME EQ "${userName}" and active eq true`,
      `urn:ietf:params:scim:schemas:core:2.0:User:userName eq "${userName}"`,
      `userName eq "nobody" or externalId eq "${externalId}"`,
    ]) {
      const { status, body } = await scim.list('/Users', filter);
      const found = body.Resources.map((resource) => resource.id);
      expect({ filter, status, found }).toEqual({ filter, status: 200, found: [id] });
    }
    for (const filter of ['userName eq "nobody"', `userName eq "${userName}" and active eq false`, 'id eq "x"']) {
      expect((await scim.list('/Users', filter)).body).toMatchObject({ totalResults: 0, Resources: [] });
    }
    for (const filter of ['userName sw "a"', 'title pr', '((', '', 'userName eq']) {
      const { status, body } = await scim.list('/Users', filter);
      expect({ filter, status, body }).toMatchObject({ filter, status: 400, body: { status: '400' } });
    }
  });

  it('are paged', async () => {
    const own = await ScimClient.of(app, admin);
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push((await own.person()).id);
    const page = async (query: string) => (await own.get<{ Resources: { id: string }[] }>(`/Users?${query}`)).body;
    expect(await page('startIndex=2&count=1')).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
    expect((await page('startIndex=2')).Resources.map(({ id }) => id)).toEqual(ids.slice(1));
    expect(await page('startIndex=0&count=2')).toMatchObject({ startIndex: 1, itemsPerPage: 2 });
    for (const none of ['count=0', 'count=-1', 'startIndex=9']) {
      expect(await page(none)).toMatchObject({ totalResults: 3, Resources: [] });
    }
    expectScimFailure(await own.get('/Users?count=many'), 400, 'invalidValue');
    for (const query of ['attributes=userName', 'attributes=SCHEMAS,userName']) {
      const [shown] = (await page(query)).Resources;
      expect(shown).toEqual({ schemas: [USER], id: ids[0], userName: expect.any(String) });
    }
    const schemas = [{ schemas: [USER], id: ids[0] }];
    expect((await page('attributes=schemas&count=1')).Resources).toEqual(schemas);
    expect((await own.get(`/Users/${ids[0]}?attributes=schemas`)).body).toEqual(schemas[0]);
    const [others] = (await page('excludedAttributes=emails,schemas,id')).Resources;
    expect(others).toMatchObject({ schemas: [USER], id: ids[0] });
    expect(others).not.toHaveProperty('emails');
  });

  it('of other directories are hidden', async () => {
    const other = await ScimClient.of(app, admin);
    const theirs = await other.person();
    const { user } = await createUser(app);
    for (const id of [theirs.id, String(user.id), String(admin.id), String(scim.serviceId), '0', 'me', '99999999999']) {
      expectScimFailure(await scim.get(`/Users/${id}`), 404);
      expectScimFailure(await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }), 404);
      expectScimFailure(await scim.put(`/Users/${id}`, { userName: newcomer().email }), 404);
      expectScimFailure(await scim.delete(`/Users/${id}`), 404);
    }
    const taken = { schemas: [USER], userName: user.email };
    expectScimFailure(await scim.post('/Users', taken), 409, 'uniqueness');
    expect((await scim.list('/Users', `userName eq "${user.email}"`)).body.totalResults).toBe(0);
    expect(await adminView(String(user.id))).toMatchObject({ status: 'active', email: user.email });
  });

  it('are distinguished by a trailing space, like all external names', async () => {
    const [person, other] = [await scim.person(), newcomer()];
    const blank = await scim.person({ externalId: `${person.externalId} ` });
    const group = await scim.group({ externalId: other.username });
    const blankGroup = await scim.group({ externalId: `${other.username} ` });
    const found = async (path: string, id: string) =>
      (await scim.list(path, `externalId eq "${id}"`)).body.Resources.map((resource) => resource.id);
    expect(await found('/Users', person.externalId)).toEqual([person.id]);
    expect(await found('/Users', blank.externalId)).toEqual([blank.id]);
    expect(await found('/Groups', other.username)).toEqual([group.id]);
    expect(await found('/Groups', `${other.username} `)).toEqual([blankGroup.id]);
  });

  it('are unique by name, external id and address', async () => {
    const person = await scim.person();
    const { userName, externalId } = person;
    const fresh = () => ({ schemas: [USER], userName: newcomer().email, externalId: newcomer().username });
    expectScimFailure(await scim.post('/Users', { ...fresh(), userName }), 409, 'uniqueness');
    expectScimFailure(await scim.post('/Users', { ...fresh(), externalId }), 409, 'uniqueness');
    const emails = [{ value: userName, primary: true }];
    expectScimFailure(await scim.post('/Users', { ...fresh(), emails }), 409, 'uniqueness');
    const twenty = fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, () => scim.post('/Users', twenty)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  it.each([
    [{}, 'invalidValue'],
    [{ userName: '' }, 'invalidValue'],
    [{ userName: 'no address' }, 'invalidValue'],
    [{ userName: 7 }, 'invalidValue'],
    [{ userName: 'a@example.com', emails: [{ value: 'not an address' }] }, 'invalidValue'],
    [{ userName: 'a@example.com', emails: 'a@example.com' }, 'invalidValue'],
    [{ userName: 'a@example.com', active: 'maybe' }, 'invalidValue'],
    [{ userName: `${'a'.repeat(300)}@example.com` }, 'invalidValue'],
    [{ userName: 'İ'.repeat(200), emails: [{ value: 'a@example.com' }] }, 'invalidValue'],
    [{ userName: 'a@example.com', displayName: 'x'.repeat(9_000) }, 'invalidValue'],
    [{ userName: 'a@example.com', schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'] }, 'invalidSyntax'],
  ])('are refused when an attribute is invalid (%#)', async (body, scimType) => {
    expectScimFailure(await scim.post('/Users', { schemas: [USER], ...body }), 400, scimType);
  });

  it('are refused in SCIM’s form when the body is not JSON, or the key is wrong', async () => {
    const send = (raw: string, headers: Record<string, string>, token = scim.key) =>
      call<object>(`${app.origin}/scim/v2/Users`, { method: 'POST', token, raw, headers });
    expectScimFailure(await send('{', { 'content-type': 'application/scim+json' }), 400, 'invalidSyntax');
    expectScimFailure(await send('[]', { 'content-type': 'application/json' }), 400, 'invalidValue');
    expectScimFailure(await send('x', { 'content-type': 'text/plain' }), 415);
    expectScimFailure(await send('{}', { 'content-type': 'application/json' }, 'ck_nothing'), 401);
    const { token } = await createUser(app);
    const { key } = await makeKey(app, token);
    expectScimFailure(await send('{}', { 'content-type': 'application/json' }, key), 403);
    expectScimFailure(await send('{}', { 'content-type': 'application/json' }, token), 403);
    expectScimFailure(await scim.get('/Nothing'), 404);
    expectScimFailure(await scim.request('PUT', '/Users'), 405);
  });

  it('are suspended and reinstated', async () => {
    const { id } = await scim.person();
    const suspended = await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    expect(suspended).toMatchObject({ status: 200, body: { active: false } });
    expect(await adminView(id)).toMatchObject({ status: 'suspended' });
    const [entry] = await admin.items<AuditLogDto>(`/admin/audit_logs?action=user.suspend&target=user:${id}`);
    expect(entry).toMatchObject({ actor_id: scim.serviceId, api_key_id: expect.any(Number) });
    const reinstated = await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    expect(reinstated.body).toMatchObject({ active: true });
    expect(await adminView(id)).toMatchObject({ status: 'active' });
    expect((await scim.person({ active: false })).active).toBe(false);
  });

  it('get another address only if it is unused; the former one is notified', async () => {
    const person = await scim.person();
    const [{ email }, { userName: former }] = [newcomer(), person];
    const path = `/Users/${person.id}`;
    const changed = await scim.patch(path, { op: 'replace', path: 'emails[type eq "work"].value', value: email });
    expect(changed.body).toMatchObject({ emails: [{ value: email, type: 'work', primary: true }] });
    expect(await adminView(person.id)).toMatchObject({ email });
    await app.mails.waitForMail(former, ({ text }) => text?.includes('Example Inc.') ?? false);
    const taken = await createUser(app);
    const refused = await scim.patch(path, { op: 'replace', path: 'emails[type eq "work"].value', value: taken.email });
    expectScimFailure(refused, 409, 'uniqueness');
    expect(await adminView(person.id)).toMatchObject({ email });
  });

  it('are closed, and can be created again', async () => {
    const person = await scim.person();
    expect(await scim.delete(`/Users/${person.id}`)).toMatchObject({ status: 204, text: '' });
    expectScimFailure(await scim.get(`/Users/${person.id}`), 404);
    expect(await adminView(person.id)).toMatchObject({ status: 'closed', erasure: 'due' });
    const { userName, externalId } = person;
    const again = await scim.post('/Users', { schemas: [USER], userName, externalId });
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(person.id);
  });

  it('with an existing account are taken over only by a trusted provider', async () => {
    const trusted = await ScimClient.of(app, admin, { email_trusted: true });
    const { user, token } = await createUser(app);
    const taken = await trusted.post('/Users', { schemas: [USER], userName: user.email, externalId: user.username });
    expect(taken).toMatchObject({ status: 201, body: { id: String(user.id) } });
    await app.mails.waitForMail(user.email, ({ text }) => text?.includes('Example Inc.') ?? false);
    expect((await call(`${app.url}/auth/me`, { token })).status).toBe(200);
    await trusted.patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: false });
    const next = await ScimClient.of(app, admin, { email_trusted: true });
    const hired = await next.post('/Users', { schemas: [USER], userName: user.email, active: true });
    expect(hired).toMatchObject({ status: 201, body: { id: taken.body.id, active: true } });
    const { email } = admin.account;
    expectScimFailure(await trusted.post('/Users', { schemas: [USER], userName: email }), 409, 'uniqueness');
  });

  it('with a current or former administrator account are suspended at most', async () => {
    const person = await scim.person();
    const path = `/Users/${person.id}`;
    await admin.put(`/admin/users/${person.id}`, { user_type: 'admin' });
    await admin.put(`/admin/users/${person.id}`, { user_type: 'normal' });
    const email = { op: 'replace', path: 'emails[type eq "work"].value', value: newcomer().email };
    expectScimFailure(await scim.patch(path, email), 403);
    expectScimFailure(await scim.patch(path, { op: 'replace', path: 'externalId', value: 'another' }), 403);
    expectScimFailure(await scim.delete(path), 403);
    const suspended = await scim.patch(path, { op: 'replace', path: 'active', value: false });
    expect(suspended.body).toMatchObject({ active: false });
    expectScimFailure(await scim.patch(path, { op: 'replace', path: 'active', value: true }), 403);
    expect(await adminView(person.id)).toMatchObject({ status: 'suspended', email: person.userName });
  });

  it('are stored without their password', async () => {
    const { id, userName } = await scim.person();
    expect((await scim.patch(`/Users/${id}`, { op: 'replace', path: 'password', value: PASSWORD })).status).toBe(200);
    const login = await call(`${app.url}/auth/login`, { body: { email: userName, password: PASSWORD } });
    expectFailure(login, 401, 'INVALID_CREDENTIALS');
  });
});
