import { createAdmin, createUser } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { type DocumentedRoute, documentedRoutes, fill } from '../support/openapi-routes';
import { useTestApp } from '../support/use-app';

/** Invalid ids. */
const NO_IDS = ['0', '-1', '9007199254740992', 'abc', '1.5', '1e3', '%201', '0x1', '１'];

/** Parameters that are not ids: an unknown name is not found. */
const NAMES = ['token', 'slug', 'name', 'label'];

describe('every route of the OpenAPI document', () => {
  const app = useTestApp();
  let routes: DocumentedRoute[];
  let administrative: DocumentedRoute[];

  beforeAll(() => {
    routes = documentedRoutes(app);
    administrative = routes.filter(({ access }) => access === 'admin');
  });

  const send = ({ method, path }: DocumentedRoute, token?: string, values?: Record<string, string>) => {
    // The feed has no end; its head arrives in the same way.
    const isFeed = path === '/api/v1/events' && token !== undefined;
    const body = method === 'GET' ? {} : { body: {} };
    return call(`${app.origin}${fill(path, values)}`, { method: isFeed ? 'HEAD' : method, token, ...body });
  };

  it('is found by this test', () => {
    expect(routes.length).toBeGreaterThan(80);
    expect(administrative.length).toBeGreaterThan(25);
    expect(routes.filter(({ path }) => path.startsWith('/api/v1/admin/')).map(({ access }) => access)).not.toContain(
      'authenticated',
    );
  });

  it('documents its required access, and shows a lock unless it is public', () => {
    for (const { name, access, isLocked } of routes) {
      expect({ name, access, isLocked }).toEqual({
        name,
        access: expect.stringMatching(/^(public|authenticated|admin)$/),
        isLocked: access !== 'public',
      });
    }
  });

  it('requires a token unless it is public', async () => {
    for (const route of routes) {
      const answer = await send(route);
      if (route.path.startsWith('/api/v1/shared/')) {
        // A setting decides who may open links; by default signed-in users.
        expect({ route: route.name, isRefused: [400, 401].includes(answer.status) }).toEqual({
          route: route.name,
          isRefused: true,
        });
      } else if (route.access === 'public') {
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

  it('accepts administrators, and never answers them with an internal error', async () => {
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

  it('documents its answer for an unknown id in its path, by `@ApiErrors(…)` on its handler', async () => {
    const untold: string[] = [];
    for (const route of routes.filter(
      ({ access, pathParameters }) => access !== 'public' && pathParameters.length > 0,
    )) {
      const { token } = await createAdmin(app);
      const { status, body } = await send(route, token);
      const { code } = (body as { error?: { code: string } } | null)?.error ?? {};
      if (code !== undefined && !route.failures.some((failure) => failure.endsWith(` ${code}`))) {
        untold.push(`${route.name}: ${status} ${code}`);
      }
    }
    expect(untold).toEqual([]);
  });

  it('refuses the token of a user who was an administrator when it was issued', async () => {
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

  it('answers an invalid id in its path with 400', async () => {
    const { token } = await createAdmin(app);
    for (const route of routes.filter(({ access }) => access !== 'public')) {
      for (const parameter of route.pathParameters.filter((name) => !NAMES.includes(name))) {
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
});
