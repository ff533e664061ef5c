import { openApiDocument } from '../../src/api-docs/openapi-document';
import { operationsOf } from '../../src/api-docs/operations';
import { createAdmin } from '../support/accounts';
import { dereference, target } from '../support/dereference';
import { call, type CallOptions } from '../support/http';
import { documentedRoutes, fill } from '../support/openapi-routes';
import { contentOf } from '../support/request-limits';
import { useOwnTestApp } from '../support/use-app';

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  properties?: Record<string, Schema>;
}

/** An invalid request. */
interface Faulty extends CallOptions {
  path: string;
}

/** Values of many types: most are invalid by the document. */
const VALUES = [{}, [], -1, 1.5, true, 'no such value', 'x'.repeat(1_200), null];
/** The same for texts: each of many parameters has a rule that one of these breaks. */
const TEXTS = ['-1', '[]', '1.5', 'true', 'no such value', 'x'.repeat(1_200), '9'.repeat(20), '0'];
const BODIES = ['9', '[]', '"text"', 'null', '{"lang":'];

/** A form that does not belong to the service. */
const OF_A_STANDARD = '400 invalid_request';

describe('the error codes', () => {
  const app = useOwnTestApp();

  it('for requests generated from the document are all documented for their operation', async () => {
    let { token } = await createAdmin(app);
    const document = dereference(openApiDocument(app.app));
    const operations = operationsOf(document);
    const undocumented = new Set<string>();
    let refused = 0;
    // The feed has no end.
    const routes = documentedRoutes(app, ['/api/', '/openai/']).filter(({ path }) => path !== '/api/v1/events');
    for (const { name, method, path, access, failures } of routes) {
      const found = operations.find((one) => one.path === path && one.method.toUpperCase() === method);
      const requests = requestsFor(path, method, found?.operation ?? {}, (schema) => propertiesOf(document, schema));
      for (const { path: sentTo, ...options } of requests) {
        const send = () =>
          call(`${app.origin}${sentTo}`, { ...options, token: access === 'public' ? undefined : token });
        let answer = await send();
        if (answer.status === 401) {
          // One of the requests has signed the caller out.
          ({ token } = await createAdmin(app));
          answer = await send();
        }
        if (answer.status >= 400) {
          refused++;
          const code = codeOf(answer.body);
          const failure = `${answer.status} ${code}`;
          const isOfStandard = failure === OF_A_STANDARD && name.endsWith('/backchannel_logout');
          if (!failures.includes(failure) && !isOfStandard) {
            undocumented.add(`${name}: ${failure}`);
          }
        }
      }
    }
    expect([...undocumented]).toEqual([]);
    expect(refused).toBeGreaterThan(1_000);
  });

  it('for an invalid logout token are those in its standard', () => {
    const document = dereference(openApiDocument(app.app));
    const { operation } = operationsOf(document).find(({ path }) => path.endsWith('/backchannel_logout')) ?? {};
    expect(contentOf(operation?.responses['400'])['application/json']?.schema).toMatchObject({
      properties: { error: { const: 'invalid_request' } },
    });
    expect(operation?.responses).not.toHaveProperty('422');
  });
});

function codeOf(body: unknown): string {
  const { error } = (body ?? {}) as { error?: string | { code?: string } };
  return (typeof error === 'object' ? error.code : error) ?? 'none';
}

/** One error in each: in the path, a parameter, a header, a member of the body, or the whole body. */
function requestsFor(
  path: string,
  method: string,
  operation: { parameters?: unknown[]; requestBody?: unknown },
  membersOf: (schema: Schema) => string[],
): Faulty[] {
  const common = { method };
  const parameters = (operation.parameters ?? []) as { in: string; name: string }[];
  const ofParameters = parameters.flatMap(({ in: holder, name }, index): Faulty[] =>
    [0, 1, 2].map((offset) => {
      const value = TEXTS[(3 * index + offset + path.length) % TEXTS.length] ?? '';
      switch (holder) {
        case 'path':
          return { ...common, path: fill(path, { [name]: encodeURIComponent(value) }) };
        case 'query':
          return { ...common, path: `${fill(path)}?${name}=${encodeURIComponent(value)}` };
        default:
          return { ...common, path: fill(path), headers: { [name]: value } };
      }
    }),
  );
  const json = contentOf(operation.requestBody)['application/json']?.schema;
  const ofMembers = (json ? membersOf(json) : []).flatMap((name, index) =>
    [0, 1, 2].map((offset) => ({
      ...common,
      path: fill(path),
      body: { [name]: VALUES[(3 * index + offset + path.length) % VALUES.length] },
    })),
  );
  const headers = { 'content-type': 'application/json' };
  const bodies = method === 'GET' ? [] : BODIES.map((raw) => ({ ...common, path: fill(path), raw, headers }));
  return [...ofParameters, ...ofMembers, ...bodies];
}

function propertiesOf(document: ReturnType<typeof openApiDocument>, schema: Schema): string[] {
  const { $ref, allOf = [], properties = {} } = schema;
  const own = $ref === undefined ? [] : propertiesOf(document, target(document, $ref) as Schema);
  return [...own, ...allOf.flatMap((part) => propertiesOf(document, part)), ...Object.keys(properties)];
}
