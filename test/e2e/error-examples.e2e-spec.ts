import type { OpenAPIObject } from '@nestjs/swagger';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../src/api-docs/openapi-document';
import { sentences as spoken } from '../../src/common/i18n/translator';
import { createAdmin, createUser, newcomer, receiveCode } from '../support/accounts';
import { dereference } from '../support/dereference';
import { failuresOf } from '../support/documented-failures';
import { type Answer, call, type CallOptions, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The request, and the route in the document. */
type Provoked = CallOptions & { route: string; path?: string };

const TOKEN_OF_NOBODY = 'not.a.token';

describe("the error example in Swagger matches the service's answer", () => {
  const app = useTestApp({ RATE_LIMIT_PAID: '1', CODE_RESEND_SECONDS: '60', WEBHOOK_ALLOWED_HOSTS: '' });
  // JSON Schema does not know OpenAPI's own keywords.
  const ajv = addFormats(new Ajv({ strict: false, validateSchema: false }));
  let document: OpenAPIObject;

  beforeAll(() => {
    document = dereference(openApiDocument(app.app));
    ajv.addSchema(document, 'document');
  });

  const user = async () => (await createUser(app)).token;

  const provocations: [status: number, code: string, provoke: () => Provoked | Promise<Provoked>][] = [
    [400, 'INVALID_CODE', () => ({ route: 'POST /auth/verify', body: { ...emailOf(newcomer()), code: '000000' } })],
    // Every route shows the same example; only the built service knows those for query parameters.
    [
      400,
      'VALIDATION_ERROR',
      async () => ({ route: 'GET /chat/{chat_id}', path: '/chat?limit=1000', token: await user() }),
    ],
    [
      400,
      'INVALID_JSON',
      () => ({ route: 'POST /auth/login', raw: '{', headers: { 'content-type': 'application/json' } }),
    ],
    [401, 'UNAUTHORIZED', () => ({ route: 'GET /auth/me' })],
    [401, 'TOKEN_INVALID', () => ({ route: 'GET /auth/me', token: TOKEN_OF_NOBODY })],
    [401, 'INVALID_CREDENTIALS', () => ({ route: 'POST /auth/login', body: newcomer() })],
    [401, 'REFRESH_TOKEN_INVALID', () => ({ route: 'POST /auth/refresh_token', body: { refresh_token: 'x' } })],
    [403, 'FORBIDDEN', async () => ({ route: 'GET /admin/users', token: await user() })],
    [
      404,
      'USER_NOT_FOUND',
      async () => {
        const { email } = newcomer();
        return { route: 'POST /auth/verify', body: { email, code: await receiveCode(app, email, 'register') } };
      },
    ],
    [404, 'CHAT_NOT_FOUND', async () => ({ route: 'GET /chat/{chat_id}', path: '/chat/9', token: await user() })],
    [404, 'AGENT_NOT_FOUND', async () => ({ route: 'POST /chat', token: await user(), body: { agent_id: 999 } })],
    [406, 'NOT_ACCEPTABLE', () => ({ route: 'POST /auth/login', body: {}, headers: { accept: 'image/png' } })],
    [
      409,
      'EMAIL_ALREADY_REGISTERED',
      async () => {
        const registration = newcomer();
        const code = await receiveCode(app, registration.email, 'register');
        await createUser(app, emailOf(registration));
        return { route: 'POST /auth/register', body: { ...registration, code } };
      },
    ],
    [
      409,
      'USERNAME_TAKEN',
      async () => {
        const registration = newcomer({ username: (await createUser(app)).user.username });
        const code = await receiveCode(app, registration.email, 'register');
        return { route: 'POST /auth/register', body: { ...registration, code } };
      },
    ],
    [
      409,
      'LAST_ADMIN',
      async () => {
        const { token, user: administrator } = await createAdmin(app);
        const path = `/admin/users/${administrator.id}`;
        return { route: 'DELETE /admin/users/{id}', method: 'DELETE', path, token };
      },
    ],
    [413, 'PAYLOAD_TOO_LARGE', () => ({ route: 'POST /auth/login', body: { email: 'x'.repeat(1_100_000) } })],
    [415, 'UNSUPPORTED_MEDIA_TYPE', () => ({ route: 'POST /auth/login', raw: '{}' })],
    [422, 'VALIDATION_ERROR', () => ({ route: 'POST /auth/login', body: {} })],
    [
      422,
      'WEBHOOK_URL_FORBIDDEN',
      async () => {
        const body = { url: 'https://127.0.0.1/hook', events: ['*'] };
        return { route: 'POST /webhooks', token: await user(), body };
      },
    ],
    [
      429,
      'CODE_SEND_TOO_FREQUENT',
      async () => {
        const { email } = newcomer();
        await receiveCode(app, email, 'register');
        return { route: 'POST /auth/send_code', body: { email, purpose: 'register' } };
      },
    ],
    [
      429,
      'QUOTA_EXCEEDED',
      async () => {
        const { token } = await createUser(app, { quotaMessagesOverride: 0 });
        const { body: chat } = await call<{ id: number }>(`${app.url}/chat`, { token, body: {} });
        return { route: 'POST /chat/message', token, body: { chat_id: chat.id, content: 'Hello' } };
      },
    ],
    [
      429,
      'RATE_LIMIT_EXCEEDED',
      async () => {
        const columns = { membershipType: 'monthly', membershipExpiresAt: new Date('2099-01-01') } as const;
        const { token } = await createUser(app, columns);
        await call(`${app.url}/auth/me`, { token });
        return { route: 'GET /auth/me', token };
      },
    ],
  ];

  it.each(provocations)('%i %s', async (status, code, provoke) => {
    const { route, path, ...options } = await provoke();
    const [method = '', template = ''] = route.split(' ');
    const answer = await call(`${app.url}${path ?? template}`, { method, ...options });
    const failure = expectFailure(answer, status, code);
    const response = responseOf(method, template, status);
    const schema = response.content?.['application/json']?.schema as object;
    expect({ isValid: ajv.validate(atHome(schema), answer.body), errors: ajv.errorsText() }).toEqual({
      isValid: true,
      errors: 'No errors',
    });
    const shown = failuresOf(document, response).find((one) => one.code === code)?.error;
    const [sentence] = (shown?.message?.examples ?? []) as string[];
    expect(sentenceOf(failure.message)).toBe(sentenceOf(sentence ?? ''));
    expect(sentenceOf(failure.message)).toEqual(expect.any(String));
    const [details] = (shown?.details?.examples ?? []) as object[];
    // Details with a schema must match it.
    expect(keysOf(failure.details)).toEqual(details ? keysOf(details) : keysOf(failure.details));
    expect(failure.retry_after !== undefined).toBe(status === 429);
    expectSent(Object.keys(response.headers ?? {}), answer);
  });

  it('for the health status too', async () => {
    const response = responseOf('GET', '/health', 503, '');
    const shown = failuresOf(document, response).find((one) => one.code === 'SERVICE_UNAVAILABLE')?.error;
    expect(shown?.details).toEqual({ $ref: '#/components/schemas/ServiceUnavailableDetails' });
    const { body } = await call<object>(`${app.origin}/health`);
    const isValid = ajv.validate({ $ref: 'document#/components/schemas/ServiceUnavailableDetails' }, body);
    expect([isValid, ajv.errorsText()]).toEqual([true, 'No errors']);
  });

  interface DocumentedResponse {
    headers?: object;
    content?: Record<string, { schema?: object }>;
  }

  function responseOf(method: string, path: string, status: number, prefix = '/api/v1'): DocumentedResponse {
    const item = document.paths[`${prefix}${path}`] as Record<string, Operation> | undefined;
    return item?.[method.toLowerCase()]?.responses[status] as DocumentedResponse;
  }
});

/** With its references into the document that ajv knows. */
function atHome(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
}

/** The key of the message in the catalogue, with wildcards for placeholders. */
function sentenceOf(message: string): string | undefined {
  const { errors, validation } = spoken().en;
  const sentences = Object.entries({ ...errors, ...validation });
  return sentences.find(([, sentence]) => {
    const parts = sentence.split(/\{\{[^}]+\}\}/).map((part) => part.replace(/[.()]/g, '\\$&'));
    return new RegExp(`^${parts.join('.+')}$`).test(message);
  })?.[0];
}

/** Every documented header was sent, and the request id, which the introduction of the documentation describes. */
function expectSent(documented: string[], { headers }: Answer): void {
  expect(['X-Request-Id', ...documented].filter((name) => !headers.has(name))).toEqual([]);
}

function keysOf(object: object): string[] {
  return Object.keys(object).sort();
}

function emailOf({ email }: { email: string }): { email: string } {
  return { email };
}
