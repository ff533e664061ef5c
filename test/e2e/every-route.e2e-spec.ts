import { Database } from '../../src/database/database';
import { UserEntity } from '../../src/modules/user/entities/user.entity';
import { createAdmin, createUser, newcomer, receiveCode } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { DocumentedRoute, documentedRoutes, fill } from '../support/openapi-routes';
import { startTestApp, TestApp } from '../support/test-app';

/** What no id is. */
const NO_IDS = ['0', '-1', '9007199254740992', 'abc', '1.5', '1e3', '%201', '0x1', '１'];

/** What users may not decide about themselves, by the names of the wire and of the tables. */
const FORBIDDEN_FIELDS = {
  id: 1,
  user_id: 1,
  user_type: 'admin',
  userType: 'admin',
  membership_type: 'yearly',
  membershipType: 'yearly',
  membership_expires_at: '2099-01-01T00:00:00.000Z',
  status: 'banned',
  quota_messages: 999_999,
  quotaMessagesOverride: 999_999,
  password_hash: 'x',
  passwordHash: 'x',
  email_verified: true,
  created_at: '2000-01-01T00:00:00.000Z',
  createdAt: '2000-01-01T00:00:00.000Z',
  deleted_at: null,
};

describe('every route of the OpenAPI document', () => {
  let app: TestApp;
  let routes: DocumentedRoute[];
  let administrative: DocumentedRoute[];

  beforeAll(async () => {
    app = await startTestApp();
    routes = documentedRoutes(app);
    administrative = routes.filter(({ access }) => access === 'admin');
  });

  afterAll(() => app.close());

  const send = ({ method, path }: DocumentedRoute, token?: string, values?: Record<string, string>) =>
    call(`${app.origin}${fill(path, values)}`, { method, token, ...(method !== 'GET' && { body: {} }) });

  it('is there to be tested', () => {
    expect(routes.length).toBeGreaterThan(80);
    expect(administrative.length).toBeGreaterThan(25);
    expect(routes.filter(({ path }) => path.startsWith('/api/v1/admin/')).map(({ access }) => access)).not.toContain(
      'authenticated',
    );
  });

  it('says who may call it, and shows a lock unless everybody may', () => {
    for (const { name, access, isLocked } of routes) {
      expect({ name, access, isLocked }).toEqual({
        name,
        access: expect.stringMatching(/^(public|authenticated|admin)$/),
        isLocked: access !== 'public',
      });
    }
  });

  it('asks those without a token for one, unless it is public', async () => {
    for (const route of routes) {
      const answer = await send(route);
      if (route.access === 'public') {
        expect({ route: route.name, isRefused: [401, 403].includes(answer.status) }).toEqual({
          route: route.name,
          isRefused: false,
        });
      } else {
        expectFailure(answer, 401, 'UNAUTHORIZED');
      }
    }
  });

  it('refuses users where only administrators may call, and nowhere else', async () => {
    for (const route of routes) {
      const { token } = await createUser(app);
      const answer = await send(route, token);
      const isForbidden = answer.status === 403;
      expect({ route: route.name, isForbidden, is401: answer.status === 401 && route.access !== 'public' }).toEqual({
        route: route.name,
        isForbidden: route.access === 'admin',
        is401: false,
      });
    }
  });

  it('lets administrators through, and fails for none of them with a fault of its own', async () => {
    for (const route of routes.filter(({ access }) => access !== 'public')) {
      const { token } = await createAdmin(app);
      const { status } = await send(route, token);
      expect({ route: route.name, isRefused: [401, 403].includes(status), isFault: status >= 500 }).toEqual({
        route: route.name,
        isRefused: false,
        isFault: false,
      });
    }
  });

  it('refuses the token of an administrator who was one when it was made', async () => {
    const chief = await createAdmin(app);
    const demoted = await createAdmin(app);
    expect((await call(`${app.url}/admin/users`, { token: demoted.token })).status).toBe(200);
    await call(`${app.url}/admin/users/${demoted.user.id}`, {
      method: 'PUT',
      token: chief.token,
      body: { user_type: 'normal' },
    });
    for (const route of administrative) {
      expectFailure(await send(route, demoted.token), 403, 'FORBIDDEN');
    }
  });

  it('answers what is no id in its path with 400', async () => {
    const { token } = await createAdmin(app);
    for (const route of routes.filter(({ access }) => access !== 'public')) {
      for (const parameter of route.pathParameters) {
        for (const value of NO_IDS) {
          const answer = await send(route, token, { [parameter]: value });
          expect({ route: route.name, parameter, value, status: answer.status }).toEqual({
            route: route.name,
            parameter,
            value,
            status: 400,
          });
          expectFailure(answer, 400, 'VALIDATION_ERROR');
        }
      }
    }
  });

  it('drops what users may not decide about themselves', async () => {
    const users = () => app.app.get(Database).repository(UserEntity);
    const writing = routes.filter(({ access, method }) => access === 'authenticated' && method !== 'GET');
    expect(writing.length).toBeGreaterThan(15);
    for (const { name, method, path } of writing) {
      const { token, user } = await createUser(app);
      const before = await users().findOneByOrFail({ id: user.id });
      await call(`${app.origin}${fill(path)}`, { method, token, body: { ...FORBIDDEN_FIELDS, bio: 'x' } });
      const after = await users().findOneByOrFail({ id: user.id });
      expect({ name, user: protectedPart(after) }).toEqual({ name, user: protectedPart(before) });
    }
  });

  it('drops it at registration too', async () => {
    const registration = newcomer();
    const code = await receiveCode(app, registration.email, 'register');
    const answer = await call(`${app.url}/auth/register`, { body: { ...FORBIDDEN_FIELDS, ...registration, code } });
    expect(answer.status).toBe(200);
    const user = await app.app.get(Database).repository(UserEntity).findOneByOrFail({ email: registration.email });
    expect(user).toMatchObject({
      userType: 'normal',
      membershipType: 'free',
      membershipExpiresAt: null,
      status: 'active',
      quotaMessagesOverride: null,
    });
    expect(user.id).not.toBe(1);
    expect(user.createdAt.getUTCFullYear()).toBeGreaterThan(2000);
  });
});

function protectedPart(user: UserEntity): Partial<UserEntity> {
  const { bio: _bio, updatedAt: _updatedAt, settings: _settings, ...rest } = user;
  return rest;
}
