import { openApiDocument } from '../../src/api-docs/openapi-document';
import type { OpenAiErrorBody } from '../../src/modules/openai/errors/openai-error-body';
import { createUser } from '../support/accounts';
import { type Answer, call, type CallOptions } from '../support/http';
import { expectOpenAiFailure } from '../support/openai-failure';
import { type DocumentedRoute, documentedRoutes, fill } from '../support/openapi-routes';
import { useTestApp } from '../support/use-app';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Bodies that no route may accept, and the expected answer. */
const REFUSED: [name: string, body: Pick<CallOptions, 'raw' | 'headers'>, status: number, code: string][] = [
  ['broken JSON', { raw: '{"model":', headers: JSON_TYPE }, 400, 'invalid_json'],
  ['another media type', { raw: 'model=1', headers: { 'content-type': 'text/plain' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['half a surrogate pair', { raw: '{"model":"\\ud800"}', headers: JSON_TYPE }, 400, 'invalid_value'],
  ['too deep', { raw: `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, headers: JSON_TYPE }, 400, 'invalid_value'],
];

/** Routes that read a form instead of JSON. */
const FORMS = ['POST /openai/v1/files', 'POST /openai/v1/uploads/{upload_id}/parts'];

describe('every route below /openai/v1', () => {
  const app = useTestApp();
  let routes: DocumentedRoute[];
  let token: string;

  beforeAll(async () => {
    routes = documentedRoutes(app, ['/openai/v1/']);
    ({ token } = await createUser(app));
  });

  const send = ({ method, path }: DocumentedRoute, options: CallOptions): Promise<Answer> =>
    call(`${app.origin}${fill(path)}`, { method, ...options });
  const codeOf = ({ status, body }: Answer) => `${status} ${(body as Partial<OpenAiErrorBody>).error?.code}`;

  it("requires and documents authentication, and refuses others in OpenAI's form", async () => {
    expect(routes.length).toBeGreaterThan(15);
    for (const route of routes) {
      const refused = await send(route, {});
      expect({ route: route.name, code: codeOf(refused) }).toEqual({ route: route.name, code: '401 invalid_api_key' });
      expectOpenAiFailure(refused, 401, 'invalid_api_key');
      const { name, access, isLocked, failures } = route;
      expect({ name, access, isLocked }).toEqual({ name, access: 'authenticated', isLocked: true });
      const pipeline = ['401 invalid_api_key', '429 rate_limit_exceeded', '500 INTERNAL_ERROR', '403 SCOPE_REQUIRED'];
      expect({ name, failures }).toEqual({ name, failures: expect.arrayContaining(pipeline) });
    }
  });

  it.each(REFUSED)('refuses a body that is %s, as documented', async (_name, body, status, code) => {
    for (const route of routes.filter(({ method, name }) => method !== 'GET' && !FORMS.includes(name))) {
      const answer = await send(route, { token, ...body });
      expect({ route: route.name, code: codeOf(answer) }).toEqual({ route: route.name, code: `${status} ${code}` });
      expect({ name: route.name, failures: route.failures }).toEqual({
        name: route.name,
        failures: expect.arrayContaining([`${status} ${code}`]),
      });
    }
  });

  it('has OpenAI-style codes for invalid bodies', () => {
    const codes = new Set(routes.flatMap(({ failures }) => failures).filter((failure) => failure.startsWith('400 ')));
    const others = [...codes].filter((failure) => !/^400 [a-z_]+$/.test(failure));
    expect(codes.size).toBeGreaterThan(10);
    // They depend on the state of the service.
    expect(others.sort()).toEqual(['400 EMBEDDINGS_NOT_CONFIGURED', '400 ITEM_NOT_DELETABLE', '400 NOT_IN_BACKGROUND']);
  });

  it("never returns 422, and documents its errors in OpenAI's form", () => {
    const { paths, components } = openApiDocument(app.app);
    const responses = (components?.responses ?? {}) as Record<string, unknown>;
    for (const [path, item] of Object.entries(paths).filter(([name]) => name.startsWith('/openai/'))) {
      for (const operation of Object.values(
        item as Record<string, { responses?: Record<string, { $ref?: string }> }>,
      )) {
        const failures = Object.entries(operation.responses ?? {}).filter(([status]) => Number(status) >= 400);
        expect(failures.map(([status]) => status)).not.toContain('422');
        for (const [status, { $ref = '' }] of failures) {
          const shown = JSON.stringify(responses[$ref.split('/').pop() ?? '']);
          expect({ path, status, shown }).toEqual({
            path,
            status,
            shown: expect.stringMatching(/\/schemas\/\w+OpenAiError"/),
          });
        }
      }
    }
  });
});
