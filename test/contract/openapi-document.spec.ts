import type { OpenAPIObject } from '@nestjs/swagger';
import { builtDocument } from '../support/built-document';
import { dereference, target } from '../support/dereference';
import { failuresOf } from '../support/documented-failures';
import { isDescribed, membersOf } from '../support/documented-fields';
import { headersOf } from '../support/documented-headers';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  items?: Schema;
  examples?: unknown[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  required?: string[];
}

type MediaType = Partial<Record<'example' | 'examples', unknown>> & { schema?: Schema };
/** Operations that need no body, and accept one with more than a language. */
const OPTIONAL_BODIES = [
  'POST /api/v1/agents/{id}/duplicate',
  'POST /api/v1/chat',
  'POST /api/v1/chat/{chat_id}/shares',
  'POST /api/v1/chat/{chat_id}/messages/{message_id}/regenerate',
  'POST /api/v1/admin/models/test',
  'POST /api/v1/admin/providers/{id}/test',
  'POST /api/v1/admin/email/test',
  'POST /api/v1/admin/settings/test_mail',
  'POST /api/v1/admin/invitations',
  'POST /api/v1/admin/users/{id}/restore',
  'POST /api/v1/user/api-keys/{id}/rotate',
  'POST /oauth/device_authorization',
];

const TICKETED = ['GET /api/v1/chat/{chat_id}/stream', 'GET /api/v1/events'];
const SCALARS = ['string', 'number', 'integer'];

describe('the OpenAPI document of the built service', () => {
  let document: OpenAPIObject;
  let yaml: string;
  let operations: { name: string; operation: Operation }[];

  beforeAll(async () => {
    ({ document, yaml } = await builtDocument());
    // With the shared parts inlined.
    operations = Object.entries(dereference(document).paths).flatMap(([path, item]) =>
      (['get', 'post', 'put', 'delete', 'patch'] as const).flatMap((method) => {
        const operation = item[method];
        return operation ? [{ name: `${method.toUpperCase()} ${path}`, operation }] : [];
      }),
    );
  });

  it('has every area of the service, in JSON and in YAML', () => {
    expect(yaml).toContain('/api/v1/chat/message:');
    const areas = ['auth/login', 'chat/message', 'user/usage-stats', 'agents', 'admin/users', 'webhooks'];
    expect(areas.filter((area) => !(`/api/v1/${area}` in document.paths))).toEqual([]);
  });

  it('documents the required access of every operation, including public ones', () => {
    for (const { name, operation } of operations) {
      const { 'x-access': access, 'x-scope': scope = null } = operation as { 'x-access'?: string; 'x-scope'?: unknown };
      const others = [TICKETED.includes(name) && 'ticket', scope !== null && 'apiKey'];
      const schemes = access === 'public' ? [] : ['bearer', 'password', ...others.filter((scheme) => scheme !== false)];
      const security = schemes.map((scheme) => ({ [scheme]: [] }));
      expect({ name, security: operation.security }).toEqual({ name, security });
    }
  });

  it('has a short summary and a group for every route', () => {
    const known = (document.tags ?? []).map(({ name }) => name);
    const faults = operations.filter(
      ({ operation: { summary, tags } }) => !summary || tags?.length !== 1 || !known.includes(tags[0] ?? ''),
    );
    expect(faults.map(({ name, operation }) => `${name}: ${operation.summary} ${operation.tags?.join()}`)).toEqual([]);
  });

  it('shows an example of every answer and of every body', () => {
    const faults = operations.flatMap(({ name, operation }) => [
      ...withoutExample(`${name} body`, operation.requestBody),
      ...Object.entries(operation.responses)
        .filter(([status]) => status.startsWith('2') && status !== '204')
        .flatMap(([status, response]) => withoutExample(`${name} ${status}`, response)),
    ]);
    expect(faults).toEqual([]);
  });

  it('describes every field', () => {
    const faults = Object.entries(schemas())
      .filter(([name]) => !/(Error|Error_\d)$/.test(name))
      .flatMap(([name, schema]) =>
        membersOf(schema)
          .filter(([, property]) => !isDescribed(document, property))
          .map(([property]) => `${name}.${property}`),
      );
    expect(faults).toEqual([]);
  });

  it('shows an example of every field except objects, lists of objects, enumerations and booleans', () => {
    const faults = fields()
      .filter(({ schema }) => [schema.type].flat().some((type) => SCALARS.includes(type ?? '')))
      .filter(({ schema }) => schema.examples === undefined && schema.enum === undefined)
      .map(({ name }) => name);
    // Sent unchanged, an example would edit a message of the reader.
    expect(faults).toEqual(['SendMessageDto.message_id']);
  });

  it('documents integers, times, lengths, optional fields, and optional bodies: OPTIONAL_BODIES', () => {
    const fractions = fields().filter(
      ({ schema }) => [schema.type].flat().includes('number') && schema.format !== 'double',
    );
    const times = fields().filter(({ name, schema }) => /_at$/.test(name) && !/-time|int/.test(JSON.stringify(schema)));
    expect([...fractions, ...times].map(({ name }) => name)).toEqual([]);
    expect(requiredOf(schemas().LoginDto)).toEqual(['email']);
    expect(fieldOf('CreateAgentDto', 'name')).toMatchObject({ minLength: 1, maxLength: 64 });
    expect(fieldOf('UpdateAgentDto', 'system_prompt')).toMatchObject({ maxLength: 20_000 });
    expect(requiredOf(schemas().UserSettingsDto)).toContain('client');
    const optional = operations.filter(
      ({ operation: { requestBody } }) => requestBody && !('required' in requestBody && requestBody.required),
    );
    const ofLanguage = operations.filter(({ operation }) => JSON.stringify(operation).includes('/LanguageBodyDto"'));
    const expected = [...OPTIONAL_BODIES, ...ofLanguage.map(({ name }) => name)];
    expect(optional.map(({ name }) => name).sort()).toEqual(expected.sort());
  });

  it('shows the agent fields for administrators, and the file of the usage report', () => {
    const answerOf = (route: string) => {
      const { operation } = operations.find(({ name }) => name === `GET /api/v1${route}`) ?? {};
      return (operation?.responses['200'] as { content: Record<string, MediaType> } | undefined)?.content ?? {};
    };
    const either = [{ $ref: '#/components/schemas/AgentAdminDto' }, { $ref: '#/components/schemas/AgentDto' }];
    const dataOf = (route: string) => answerOf(route)['application/json']?.schema?.allOf?.[1]?.properties?.data;
    expect(dataOf('/agents/{id}')?.anyOf).toEqual(either);
    expect(dataOf('/agents')?.properties?.items?.items?.anyOf).toEqual(either);
    expect(Object.keys(answerOf('/admin/stats/usage'))).toEqual(['application/json', 'text/csv']);
  });

  it('shows the headers of every answer, each described once', () => {
    const faults = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses).flatMap(([status, response]) => {
        const shown = Object.entries((response as { headers?: Record<string, Schema> }).headers ?? {});
        const references = shown.map(([header, { $ref }]) => $ref === `#/components/headers/${header}` && header);
        const missing = headersOf(name, status).filter((header) => !references.includes(header));
        return missing.map((header) => `${name} ${status} ${header}`);
      }),
    );
    expect(faults).toEqual([]);
    const described = Object.values(document.components?.headers ?? {}) as { description?: string; schema?: Schema }[];
    expect(described.length).toBeGreaterThan(10);
    expect(described.filter(({ description, schema }) => !description || !schema?.type)).toEqual([]);
  });

  it('names every operation and every path parameter once', () => {
    const ids = operations.map(({ operation }) => operation.operationId ?? '');
    expect(ids.filter((id, index) => !/^[a-z]\w+(\.[a-z]\w+)*$/i.test(id) || ids.indexOf(id) !== index)).toEqual([]);
    for (const { name, operation } of operations) {
      const named = (operation.parameters ?? []).flatMap((one) => ('in' in one && one.in === 'path' ? [one.name] : []));
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      expect({ name, named: named.sort() }).toEqual({ name, named: inPath.sort() });
    }
  });

  it('lists the errors of every route by their codes', () => {
    const faults = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => Number(status) >= 400)
        .filter(([, response]) => failuresOf(document, response).length === 0)
        .map(([status]) => `${name} ${status}`),
    );
    // OpenID Connect defines its own form for it.
    // OAuth defines its own form.
    const others = faults.filter((name) => !/^POST \/oauth\/|^GET \/\.well-known\/oauth-/.test(name));
    expect(others).toEqual(['POST /api/v1/auth/oidc/{slug}/backchannel_logout 400']);
    for (const { name, operation } of operations) {
      expect({ name, statuses: Object.keys(operation.responses) }).toEqual({
        name,
        statuses: expect.arrayContaining(['500']),
      });
    }
  });

  function schemas(): Record<string, Schema> {
    return (document.components?.schemas ?? {}) as Record<string, Schema>;
  }

  /** The fields that a schema requires, including inherited ones. */
  function requiredOf({ required = [], allOf = [] }: Schema = {}): string[] {
    const inherited = allOf.flatMap(({ $ref }) => ($ref ? requiredOf(target(document, $ref) as Schema) : []));
    return [...inherited, ...required];
  }

  /** A field of a schema, including inherited ones. */
  function fieldOf(name: string, field: string): Schema | undefined {
    const { properties, allOf = [] } = schemas()[name] ?? {};
    const inherited = allOf.flatMap(({ $ref }) => fieldOf($ref?.split('/').pop() ?? '', field) ?? []);
    const found = properties?.[field] ?? inherited[0];
    return found && resolved(found);
  }

  /** The schema itself, or the one it references. */
  function resolved(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : (target(document, schema.$ref) as Schema);
  }

  /** The fields of all schemas, as `SchemaDto.field`. */
  function fields(): { name: string; schema: Schema }[] {
    return Object.entries(schemas()).flatMap(([dto, { properties }]) =>
      Object.entries(properties ?? {}).map(([field, schema]) => ({
        name: `${dto}.${field}`,
        schema: resolved(schema),
      })),
    );
  }

  function withoutExample(name: string, holder: unknown): string[] {
    if (holder === undefined) {
      return [];
    }
    const { content } = holder as { content?: Record<string, MediaType> };
    const isShown = ({ schema, example, examples }: MediaType): boolean =>
      example !== undefined || examples !== undefined || hasExample(schema);
    return content !== undefined && Object.values(content).every(isShown) ? [] : [name];
  }

  /** An object has an example when one of its fields has: Swagger UI generates the body from them. */
  function hasExample(schema: Schema | undefined): boolean {
    if (!schema) return false;
    if (schema.$ref) {
      return hasExample(schemas()[schema.$ref.split('/').pop() ?? '']);
    }
    const parts = [
      ...Object.values(schema.properties ?? {}),
      ...(schema.allOf ?? []),
      ...(schema.oneOf ?? []),
      ...(schema.anyOf ?? []),
    ];
    return (
      schema.type === 'boolean' ||
      schema.examples !== undefined ||
      schema.enum !== undefined ||
      schema.const !== undefined ||
      hasExample(schema.items) ||
      parts.some(hasExample)
    );
  }
});
