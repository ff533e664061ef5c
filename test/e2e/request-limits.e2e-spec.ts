// @databases sqlite: the rows are only counted
import { Database } from '../../src/database/database';
import { createAdmin } from '../support/accounts';
import { builtDocument } from '../support/built-document';
import { type Answer, call, type CallOptions, expectFailure } from '../support/http';
import { type LimitProbe, limitProbes } from '../support/limit-probes';
import { expectOpenAiFailure } from '../support/openai-failure';
import { fill } from '../support/openapi-routes';
import { useOwnTestApp } from '../support/use-app';

/** Longer values are tested on one of the routes that share a schema, because megabytes take time. */
const LONG = 100_000;

const LONGEST = 1_000_000;

/** Required sibling members of a value. */
const BESIDE: Record<string, object> = { 'parts[].url': { type: 'file' }, 'parts[].file': { type: 'file' } };

/** Of both forms of errors. */
interface Failure {
  error?: { code?: string; param?: string | null; details?: { errors?: { field: string; reason: string }[] } };
}

describe('the maximum size of requests', () => {
  const app = useOwnTestApp();
  let probes: LimitProbe[];

  beforeAll(async () => {
    const all = limitProbes((await builtDocument()).document);
    const isFirst = (probe: LimitProbe) =>
      probe ===
      all.find(({ place, limit, most }) => place === probe.place && limit === probe.limit && most === probe.most);
    probes = all.filter((probe) => probe.most < LONG || isFirst(probe));
  });

  const nameOf = ({ method, path, in: holder, place, limit, most }: LimitProbe) =>
    `${method} ${path} ${holder} ${place} ${limit} ${most}`;

  async function send(probe: LimitProbe, size: number, token: string): Promise<Answer> {
    const { method, in: holder, place } = probe;
    const value = probe.make(size);
    const known = { membership_type: 'free', ...(holder === 'path' && { [place]: String(value) }) };
    const inQuery = holder === 'query' ? [value].flat() : [];
    const query = new URLSearchParams(inQuery.map((one): [string, string] => [place, String(one)]));
    return call(`${app.origin}${fill(probe.path, known)}?${query.toString()}`, {
      method,
      token,
      ...(holder === 'header' && { headers: { [place]: String(value) } }),
      ...(method !== 'GET' && { body: holder === 'body' ? beside(place, value) : probe.body }),
    });
  }

  /** The number of rows in each table. */
  async function rows(): Promise<Record<string, number>> {
    const { manager } = app.app.get(Database);
    const tables = manager.dataSource.entityMetadatas.map(({ tableName }) => tableName);
    const counts = tables.map(async (table) => {
      const [row] = await manager.query<{ n: number | string }[]>(`SELECT COUNT(*) AS n FROM ${table}`);
      return [table, Number(row?.n)] as const;
    });
    return Object.fromEntries(await Promise.all(counts));
  }

  it('applies to every operation with a text', () => {
    expect(probes.length).toBeGreaterThan(500);
    expect(new Set(probes.map(({ method, path }) => `${method} ${path}`)).size).toBeGreaterThan(90);
  });

  it('is refused by name when it is exceeded by one, and nothing is stored', async () => {
    const { token } = await createAdmin(app);
    const before = await rows();
    for (const probe of probes) {
      const answer = await send(probe, probe.most + 1, token);
      const members = faultsOf(answer).map(({ field }) => memberOf(field));
      expect({ probe: nameOf(probe), status: answer.status, members }).toEqual({
        probe: nameOf(probe),
        ...refusalOf(probe),
      });
    }
    expect(await rows()).toEqual(before);
  });

  // Except for `client`, of which 8 KB are fewer members.
  it('is accepted when it is reached exactly', async () => {
    let token = '';
    let route = '';
    // The event feed does not end.
    const ending = probes.filter(({ path }) => path !== '/api/v1/events');
    for (const probe of ending.filter(({ most, place }) => most < LONG && place !== 'client')) {
      if (route !== (route = `${probe.method} ${probe.path}`)) token = (await createAdmin(app)).token;
      const answer = await send(probe, probe.most, token);
      const tooMuch = faultsOf(answer).filter(({ reason }) => /too_long|too_many|above_max/.test(reason));
      expect({ probe: nameOf(probe), isFault: answer.status >= 500, tooMuch }).toEqual({
        probe: nameOf(probe),
        isFault: false,
        tooMuch: [],
      });
    }
  });

  it("is 8 KB for a client's own data in the settings", async () => {
    const { token } = await createAdmin(app);
    const ask = (options: CallOptions) => call<{ client: object }>(`${app.url}/user/settings`, { token, ...options });
    // `{"a":"…"}`
    const kept = { a: 'x'.repeat(8_192 - 8) };
    expect((await ask({ method: 'PUT', body: { client: kept } })).status).toBe(200);
    const refused = await ask({ method: 'PUT', body: { client: { a: `${kept.a}x` } } });
    expect(expectFailure(refused, 422, 'VALIDATION_ERROR').details.errors).toEqual([
      { field: 'client', reason: 'too_long' },
    ]);
    expect((await ask({})).body.client).toEqual(kept);
  });

  it.each([
    ['chat/completions', 'tools', (parameters: object) => [nested(parameters)]],
    ['chat/completions', 'tools', (parameters: object) => [{ ...NAMESPACE, tools: [nested(parameters)] }]],
    ['chat/completions', 'response_format', (schema: object) => ({ ...FORMAT, json_schema: { name: 'f', schema } })],
    ['responses', 'tools', (parameters: object) => [{ ...FUNCTION, parameters }]],
    ['responses', 'tools', (parameters: object) => [{ ...NAMESPACE, tools: [{ ...FUNCTION, parameters }] }]],
    [
      'responses',
      'text.format',
      (schema: object) => ({ ...FORMAT, name: 'f', description: null, schema, strict: null }),
    ],
  ])('is 1,000,000 characters of schemas: %s, %s %#', async (route, param, valueOf) => {
    const { token } = await createAdmin(app);
    const [name = '', inner] = param.split('.');
    const post = (words: string) => {
      const value = valueOf({ a: words.slice(0, LONGEST / 2), b: words.slice(LONGEST / 2) });
      const said = route === 'responses' ? { input: 'a' } : { messages: [{ role: 'user', content: 'a' }] };
      const body = { model: 'none', ...said, [name]: inner ? { [inner]: value } : value };
      return call(`${app.origin}/openai/v1/${route}`, { token, body });
    };
    const room = LONGEST - JSON.stringify(valueOf({ a: '', b: '' })).length;
    expectOpenAiFailure(await post('x'.repeat(room)), 404, 'model_not_found', 'model');
    expectOpenAiFailure(await post('x'.repeat(room + 1)), 400, 'string_above_max_length', param);
  });
});

const NAMESPACE = { type: 'namespace', name: 'n' };

const FORMAT = { type: 'json_schema' };

/** A stored Open Responses function. */
const FUNCTION = { type: 'function', name: 'f', description: null, strict: null };

/** A function in a completion. */
function nested(parameters: object): object {
  return { type: 'function', function: { name: 'f', parameters } };
}

function beside(place: string, body: unknown): unknown {
  for (const part of (body as { parts?: object[] }).parts ?? []) Object.assign(part, BESIDE[place]);
  return body;
}

/** The reported errors; empty for an answer other than a validation error. */
function faultsOf({ body }: Answer): { field: string; reason: string }[] {
  const { code = '', param, details } = (body as Failure).error ?? {};
  return details?.errors ?? (typeof param === 'string' ? [{ field: param, reason: code }] : []);
}

/** The outermost member: within it, the answer may name the error of any alternative form. */
function memberOf(field: string): string {
  return field.split(/[.[]/)[0] ?? '';
}

/** Routes that first look up the object in their path. */
const UNKNOWN = ['/api/v1/admin/tools/{name}/test', '/api/v1/shared/{token}', '/api/v1/shared/{token}/continue'];

/** Its body is read only for an existing provider; OpenID Connect defines the answers for that provider. */
const LOOSE = '/api/v1/auth/oidc/{slug}/backchannel_logout';

/** Browsers open it: all errors redirect. */
const START = '/api/v1/auth/oidc/{slug}/start';

/** An unknown or invalid name in the path. */
function refusalOf({ path, in: holder, place }: LimitProbe): object {
  if (path === LOOSE) {
    return { status: 404, members: [] };
  }
  if (path === START) {
    return { status: 302, members: [] };
  }
  const isOpenAi = path.startsWith('/openai/');
  const status =
    holder === 'path' && (isOpenAi || UNKNOWN.includes(path)) ? 404 : holder === 'body' && !isOpenAi ? 422 : 400;
  return { status, members: expect.arrayContaining(holder === 'path' ? [] : [memberOf(place)]) };
}
