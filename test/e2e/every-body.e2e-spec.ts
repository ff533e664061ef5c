import { translate } from '../../src/common/i18n/translator';
import { createAdmin, createUser } from '../support/accounts';
import { type Answer, call, type CallOptions, type ErrorAnswer, expectFailure, sendRaw } from '../support/http';
import { type DocumentedRoute, documentedRoutes, fill } from '../support/openapi-routes';
import { useOwnTestApp } from '../support/use-app';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Bodies that no route may accept, and the expected answer. */
const REFUSED: [name: string, body: Pick<CallOptions, 'raw' | 'headers'>, failure: string][] = [
  ['broken JSON', { raw: '{"lang":', headers: JSON_TYPE }, '400 INVALID_JSON'],
  ['bytes that are no UTF-8', { raw: Uint8Array.from([0x22, 0xff, 0x22]), headers: JSON_TYPE }, '400 INVALID_JSON'],
  ['another media type', { raw: 'lang=de', headers: { 'content-type': 'text/plain' } }, '415 UNSUPPORTED_MEDIA_TYPE'],
  ['compressed', { raw: '{}', headers: { ...JSON_TYPE, 'content-encoding': 'br' } }, '415 UNSUPPORTED_MEDIA_TYPE'],
  ['no object', { raw: '[]', headers: JSON_TYPE }, '422 VALIDATION_ERROR'],
  ['null', { raw: 'null', headers: JSON_TYPE }, '422 VALIDATION_ERROR'],
  ['a number', { raw: '9', headers: JSON_TYPE }, '422 VALIDATION_ERROR'],
  ['a text', { raw: '"lang"', headers: JSON_TYPE }, '422 VALIDATION_ERROR'],
  ['half a surrogate pair', { raw: '{"x":"\\ud800"}', headers: JSON_TYPE }, '422 VALIDATION_ERROR'],
  ['a language that is none', { raw: '{"lang":"x!"}', headers: JSON_TYPE }, '422 VALIDATION_ERROR'],
];

/** OpenID Connect defines its own answers for all input; `sign-in-logout.e2e-spec.ts` covers them. */
const OF_A_STANDARD = 'POST /api/v1/auth/oidc/{slug}/backchannel_logout';

/** Its body is a form with a file of any size; `knowledge-files.e2e-spec.ts` covers it. */
const UPLOAD = 'POST /api/v1/files';

describe('the body of every route', () => {
  const app = useOwnTestApp();
  let token: string;
  let reading: DocumentedRoute[];
  let writing: DocumentedRoute[];

  beforeAll(async () => {
    token = (await createAdmin(app)).token;
    const routes = documentedRoutes(app);
    reading = routes.filter(({ method }) => method === 'GET');
    writing = routes.filter(({ method, name }) => method !== 'GET' && name !== UPLOAD);
  });

  // An import names its subject in its address, which is checked first.
  const pathOf = ({ path }: DocumentedRoute) =>
    fill(path, { membership_type: 'free' }) + (path.endsWith('/prices/import') ? '?format=litellm' : '');
  const tokenFor = ({ access }: DocumentedRoute) => (access === 'public' ? undefined : token);

  it('is documented, if there may be one', () => {
    expect(writing.length).toBeGreaterThan(40);
    expect(writing.filter(({ hasBody }) => !hasBody).map(({ name }) => name)).toEqual([]);
    expect(reading.filter(({ hasBody }) => hasBody).map(({ name }) => name)).toEqual([]);
  });

  it.each(REFUSED)('is refused when it is %s, as documented', async (_name, body, failure) => {
    for (const route of writing.filter(({ name }) => name !== OF_A_STANDARD)) {
      const { name, method, failures } = route;
      const answer = await call(`${app.origin}${pathOf(route)}`, { method, token: tokenFor(route), ...body });
      expect({ name, failure: failureOf(answer) }).toEqual({ name, failure });
      expect({ name, failures }).toEqual({ name, failures: expect.arrayContaining([failure]) });
    }
  });

  it('has a maximum size, which is documented unless it is 16 KiB', async () => {
    const large: Record<string, string[]> = { '1 MiB': [], '10 MiB': [], '28 MiB': [] };
    for (const route of writing) {
      const isAskedFor = async (bytes: number): Promise<boolean> => {
        const announced = [
          `${route.method} ${pathOf(route)} HTTP/1.1`,
          'Host: localhost',
          'Content-Type: application/json',
          `Content-Length: ${bytes}`,
          ...(route.access === 'public' ? [] : [`Authorization: Bearer ${token}`]),
          'Expect: 100-continue',
        ];
        const answer = await sendRaw(app.origin, `${announced.join('\r\n')}\r\n\r\n`, true);
        expect([route.name, answer]).toEqual([route.name, expect.stringMatching(/^HTTP\/1\.1 (100|413) /)]);
        return answer.includes(' 100 ');
      };
      expect([route.name, await isAskedFor(16_384), await isAskedFor(29_360_129)]).toEqual([route.name, true, false]);
      if (await isAskedFor(16_385)) {
        const isLarger = await isAskedFor(1_048_577);
        const size = isLarger ? ((await isAskedFor(10_485_761)) ? '28 MiB' : '10 MiB') : '1 MiB';
        large[size]?.push(route.name.replace('/api/v1', ''));
      }
      expect({ name: route.name, failures: route.failures }).toEqual({
        name: route.name,
        failures: expect.arrayContaining(['413 PAYLOAD_TOO_LARGE']),
      });
    }
    expect(large['10 MiB']).toEqual(['POST /agents/import']);
    // They accept files as data.
    expect(large['28 MiB']?.sort()).toEqual([
      'POST /admin/prices/import',
      'POST /chat/message',
      'PUT /chat/{chat_id}/messages/{message_id}',
    ]);
    expect(large['1 MiB']).toEqual(
      expect.arrayContaining([
        'PUT /chat/{chat_id}/messages/{message_id}/feedback',
        'PUT /user/settings',
        'PUT /admin/settings',
        'POST /admin/users',
        'POST /admin/models/test',
        'POST /agents',
        'PUT /agents/{id}',
        'POST /agents/{id}/test',
      ]),
    );
  });

  it.each([
    ['broken JSON', '{"lang":', 'application/json'],
    ['another media type', 'lang=de', 'text/plain'],
    ['more than a mebibyte', `"${'x'.repeat(1_048_576)}"`, 'application/json'],
    ['a language that is none', '{"lang":"x!"}', 'application/json'],
  ])('is ignored with GET, even if it is %s', async (_name, raw, type) => {
    for (const route of reading) {
      const head = [
        `GET ${pathOf(route)} HTTP/1.1`,
        'Host: localhost',
        'Connection: close',
        ...(route.access === 'public' ? [] : [`Authorization: Bearer ${token}`]),
      ].join('\r\n');
      const body = `Content-Type: ${type}\r\nContent-Length: ${raw.length}\r\n\r\n${raw}`;
      // The event feed never ends, so the first piece is enough.
      const answer = await sendRaw(app.origin, `${head}\r\n${body}`, true);
      const without = await sendRaw(app.origin, `${head}\r\n\r\n`, true);
      const [status, expected] = [answer, without].map((text) => Number(text.split(' ')[1]));
      expect({ name: route.name, status }).toEqual({ name: route.name, status: expected });
    }
  });

  it('may set the language of the answer, even if it has no other field', async () => {
    const { user, token: own } = await createUser(app);
    const body = { lang: 'de-AT', unknown: 1 };
    const unbanned = await call<{ message: string }>(`${app.url}/admin/users/${user.id}/unban`, { token, body });
    expect(unbanned.body.message).toBe(translate('de', 'messages.user_not_banned'));
    const missing = await call(`${app.url}/webhooks/999999999`, { method: 'DELETE', token: own, body });
    expect(expectFailure(missing, 404, 'WEBHOOK_NOT_FOUND').message).toBe(translate('de', 'errors.WEBHOOK_NOT_FOUND'));
    const loggedOut = await call<{ message: string }>(`${app.url}/auth/logout`, { token: own, body });
    expect(loggedOut.body.message).toBe(translate('de', 'messages.logged_out'));
  });

  it('reports an invalid language by its field name', async () => {
    const answer = await call(`${app.url}/auth/logout`, { token, body: { lang: 7 } });
    const fault = { field: 'lang', reason: 'invalid_language' };
    expect(expectFailure(answer, 422, 'VALIDATION_ERROR').details).toEqual({ ...fault, errors: [fault] });
  });

  it('is not reported when the path does not exist', async () => {
    expectFailure(await call(`${app.url}/nothing`, { body: [] }), 404, 'NOT_FOUND');
    expectFailure(await call(`${app.url}/auth/logout`, { method: 'PUT', body: [] }), 405, 'METHOD_NOT_ALLOWED');
  });
});

function failureOf(answer: Answer): string {
  return `${answer.status} ${(answer.body as Partial<ErrorAnswer>).error?.code}`;
}
