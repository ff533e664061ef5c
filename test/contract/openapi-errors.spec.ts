import { type OperationObject, operationsOf } from '../../src/api-docs/operations';
import { builtDocument } from '../support/built-document';
import { dereference } from '../support/dereference';

interface Schema {
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  anyOf?: Schema[];
}

interface MediaType {
  schema?: Schema;
  examples?: Record<string, { value: { error: { code: string } } }>;
}

describe('the failures in the OpenAPI document', () => {
  let schemas: Record<string, Schema>;
  let operations: { name: string; operation: OperationObject }[];

  beforeAll(async () => {
    const document = dereference((await builtDocument()).document);
    schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
    operations = operationsOf(document).map(({ path, method, operation }) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    }));
  });

  it('names in the schema of every failure the codes that it has, each of them one of all', () => {
    const failures = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, response]) => ({ name: `${name} ${status}`, media: jsonOf(response) })),
    );
    for (const { name, media } of failures) {
      const shown = Object.values(media?.examples ?? {});
      const codes = [...new Set(shown.map(({ value }) => value.error.code))].sort();
      expect({ name, codes: codesIn(media?.schema).sort() }).toEqual({ name, codes });
      const isOpenAi = name.includes(' /openai/');
      expect(schemas[isOpenAi ? 'OpenAiErrorCode' : 'ErrorCode']?.enum).toEqual(expect.arrayContaining(codes));
    }
    expect(schemas.ErrorCode?.enum).toContain('METHOD_NOT_ALLOWED');
  });

  it('tells the details of failures that have known ones', () => {
    const { operation } = operations.find(({ name }) => name === 'POST /api/v1/chat/message') ?? {};
    const schema = JSON.stringify(jsonOf(operation?.responses['429'])?.schema);
    expect(schema).toContain('{"code":{"type":"string","enum":["QUOTA_EXCEEDED"]},"details":{"$ref":');
    expect(schemas.QuotaExceededDetails?.required).toEqual(['quota', 'limit', 'used', 'resets_at']);
  });
});

function jsonOf(response: unknown): MediaType | undefined {
  return (response as { content?: Record<string, MediaType> } | undefined)?.content?.['application/json'];
}

/** The values of all enumerations of `code` in a schema. */
function codesIn(schema: Schema | undefined): unknown[] {
  const { properties = {}, allOf = [], anyOf = [] } = schema ?? {};
  const parts = [...allOf, ...anyOf, ...(properties.error ? [properties.error] : [])];
  return [...(properties.code?.enum ?? []), ...parts.flatMap(codesIn)];
}
