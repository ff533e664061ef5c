import { type OperationObject, operationsOf } from '../../src/api-docs/operations';
import { builtDocument } from '../support/built-document';
import { type ApiDocument, dereference } from '../support/dereference';
import { failuresOf } from '../support/documented-failures';

interface Schema {
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
}

describe('the errors in the OpenAPI document', () => {
  let document: ApiDocument;
  let schemas: Record<string, Schema>;
  let operations: { name: string; operation: OperationObject }[];

  beforeAll(async () => {
    document = dereference((await builtDocument()).document);
    schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
    operations = operationsOf(document).map(({ path, method, operation }) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    }));
  });

  /** OpenID Connect and OAuth define their own form for them. */
  const OF_A_STANDARD = /backchannel_logout 400$|^POST \/oauth\/|^GET \/\.well-known\/oauth-/;

  it('contain in the schema of every error its code, one of all codes, and an example of its message', () => {
    const failures = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, response]) => ({ name: `${name} ${status}`, response })),
    );
    for (const { name, response } of failures.filter(({ name }) => !OF_A_STANDARD.test(name))) {
      const found = failuresOf(document, response);
      const codes = found.map(({ code }) => code);
      const described = [...String((response as { description: string }).description).matchAll(/`(\w+)`/g)];
      expect({ name, codes: described.map(([, code]) => code) }).toEqual({ name, codes });
      expect({ name, codes: codes.length }).not.toEqual({ name, codes: 0 });
      expect({ name, codes: [...new Set(codes)].sort() }).toEqual({ name, codes });
      expect(found.filter(({ error }) => typeof error.message?.examples?.[0] !== 'string')).toEqual([]);
      const isOpenAi = name.includes(' /openai/');
      expect(schemas[isOpenAi ? 'OpenAiErrorCode' : 'ErrorCode']?.enum).toEqual(expect.arrayContaining(codes));
    }
    expect(failures.length).toBeGreaterThan(700);
    expect(schemas.ErrorCode?.enum).toContain('METHOD_NOT_ALLOWED');
  });

  it('document the details of errors that have known ones', () => {
    const { operation } = operations.find(({ name }) => name === 'POST /api/v1/chat/message') ?? {};
    const quota = failuresOf(document, operation?.responses['429']).find(({ code }) => code === 'QUOTA_EXCEEDED');
    expect(quota?.error.details).toEqual({ $ref: '#/components/schemas/QuotaExceededDetails' });
    expect(schemas.QuotaExceededDetails?.required).toEqual(['quota', 'limit', 'used', 'resets_at']);
  });
});
