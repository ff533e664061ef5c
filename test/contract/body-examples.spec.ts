import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../src/api-docs/operations';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { builtDocument } from '../support/built-document';
import { dereference } from '../support/dereference';
import { call, type ErrorAnswer } from '../support/http';
import { fill } from '../support/openapi-routes';
import { startTestApp, type TestApp } from '../support/test-app';

interface Schema {
  $ref?: string;
  examples?: unknown[];
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  type?: string;
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
}

/**
 * Values that are unknown in advance: codes from mails, tokens, and the password of the account. And requests that work
 * only once.
 */
const EXPLAINED: Record<string, string> = {
  'POST /api/v1/admin/users/{id}/api-keys': '409 NOT_SERVICE_ACCOUNT',
  'POST /api/v1/auth/verify': '400 INVALID_CODE',
  'POST /api/v1/auth/register': '400 INVALID_CODE',
  'POST /api/v1/auth/login': '401 INVALID_CREDENTIALS',
  'POST /api/v1/auth/token': '401 INVALID_CREDENTIALS',
  'POST /api/v1/auth/refresh_token': '401 REFRESH_TOKEN_INVALID',
  'POST /api/v1/setup/administrator': '409 SETUP_COMPLETE',
  'POST /api/v1/auth/reset_password': '400 INVALID_CODE',
  'POST /api/v1/user/change_password': '401 INVALID_CREDENTIALS',
  'DELETE /api/v1/user/account': '401 INVALID_CREDENTIALS',
  'POST /api/v1/auth/oidc/exchange': '401 LOGIN_CODE_INVALID',
  'POST /api/v1/auth/oidc/link': '401 LOGIN_CODE_INVALID',
  'POST /api/v1/user/connections/{label}/start': '404 CONNECTION_NOT_FOUND',
  'POST /api/v1/user/identities/start': '401 INVALID_CREDENTIALS',
  // A new installation has no identity provider.
  'POST /api/v1/auth/oidc/{slug}/backchannel_logout': '404 IDENTITY_PROVIDER_NOT_FOUND',
  // The query must state the format of the file.
  'POST /api/v1/admin/prices/import': '400 VALIDATION_ERROR',
  // The example names a user who does not exist.
  'POST /api/v1/admin/groups/{id}/members': '404 USER_NOT_FOUND',
  // Its user has another name.
  'POST /api/v1/admin/users/{id}/erase': '422 VALIDATION_ERROR',
  // A new installation has no features.
  'POST /api/v1/pages/token': '404 PAGE_NOT_FOUND',
  // The server does not exist, so its tools were never read.
  'PUT /api/v1/admin/mcp_servers/{id}/tools/{name}': '404 MCP_TOOL_NOT_FOUND',
  // A new installation has no files and no provider of embeddings.
  'POST /api/v1/knowledge/{id}/files': '404 FILE_NOT_FOUND',
  'PUT /api/v1/knowledge/{id}/files/{file_id}': '404 FILE_NOT_FOUND',
  'POST /api/v1/knowledge/{id}/files/{file_id}/retry': '404 FILE_NOT_FOUND',
  // The example names a user who does not exist, and there is no hold.
  'POST /api/v1/admin/holds': '422 VALIDATION_ERROR',
  'PUT /api/v1/admin/holds/{id}': '404 HOLD_NOT_FOUND',
  'POST /api/v1/admin/holds/{id}/release': '404 HOLD_NOT_FOUND',
  // The example names an instance that does not run.
  'PUT /api/v1/admin/log_level': '404 INSTANCE_NOT_FOUND',
  // All guards must be listed.
  'PUT /api/v1/admin/guards/order': '422 VALIDATION_ERROR',
  'PUT /api/v1/admin/knowledge/embedding': '422 EMBEDDING_PROVIDER_UNUSABLE',
  'POST /openai/v1/embeddings': '404 model_not_found',
  'POST /openai/v1/vector_stores/{vector_store_id}/files': '404 FILE_NOT_FOUND',
  'POST /openai/v1/vector_stores/{vector_store_id}/files/{file_id}': '404 FILE_NOT_FOUND',
  'POST /openai/v1/vector_stores/{vector_store_id}/file_batches': '404 FILE_NOT_FOUND',
  // A new installation has no provider with this name, and no group 3.
  'PUT /api/v1/admin/anthropic_models': '422 VALIDATION_ERROR',
  'PUT /api/v1/admin/claude_settings': '422 VALIDATION_ERROR',
  // No program waits for a sign-in.
  'POST /api/v1/auth/device/lookup': '400 INVALID_CODE',
  'POST /api/v1/auth/device/decide': '400 INVALID_CODE',
  // Its parts are not known in advance.
  'POST /openai/v1/uploads/{upload_id}/complete': '404 UPLOAD_NOT_FOUND',
  // No question is pending.
  'POST /api/v1/chat/{chat_id}/actions/{action_id}': '404 ACTION_NOT_FOUND',
};

interface DocumentedBody {
  schema?: Schema;
  examples?: Record<string, { value: unknown }>;
}

describe('the request examples in the documentation', () => {
  let app: TestApp;
  let document: OpenAPIObject;
  let admin: AdminClient;

  beforeAll(async () => {
    document = dereference((await builtDocument()).document);
    app = await startTestApp();
    admin = await AdminClient.of(app);
  });

  afterAll(() => app.close());

  it('are accepted by a new installation, unless they need unknown values, and do no harm', async () => {
    const chat = await call<{ id: number }>(`${app.url}/chat`, { token: admin.account.token, body: {} });
    const message = { chat_id: chat.body.id, content: 'Hello' };
    const sent = await call<{ id: number }[]>(`${app.url}/chat/message`, { token: admin.account.token, body: message });
    const hook = { url: 'https://hooks.example.com/in', events: ['*'], is_active: false };
    const { body: webhook } = await admin.post<{ id: number }>('/webhooks', hook);
    const { user } = await createUser(app);
    const ids = {
      chat_id: String(chat.body.id),
      conversation_id: `conv_${chat.body.id}`,
      vector_store_id: 'vs_1',
      membership_type: 'free',
      name: 'current_time',
    };
    const refused: Record<string, string> = {};
    for (const { path, method, operation } of operationsOf(document)) {
      const body = bodyOf(operation.requestBody);
      if (body !== undefined) {
        const id = String(path.includes('/users/') ? user.id : path.includes('/webhooks/') ? webhook.data.id : 1);
        // Only user messages can be edited; the other routes apply to the reply.
        const isEdit = path.endsWith('/messages/{message_id}');
        const messageId = String(sent.body[isEdit ? 0 : 1]?.id);
        const url = `${app.origin}${fill(path, { ...ids, message_id: messageId, id })}`;
        const answer = await call(url, { method: method.toUpperCase(), token: admin.account.token, body });
        if (answer.status >= 300) {
          const { code } = (answer.body as ErrorAnswer).error;
          refused[`${method.toUpperCase()} ${path}`] = `${answer.status} ${code}`;
        }
      }
    }
    expect(refused).toEqual(EXPLAINED);
    const { data: agent } = (await admin.get<AgentAdminDto>('/agents/1')).body;
    expect(agent).toMatchObject({ name: 'General Assistant', is_default: true, status: 'active', provider: null });
    const { data: settings } = (await admin.get('/admin/settings')).body;
    expect(settings).toMatchObject({
      registration_enabled: true,
      allowed_email_domains: [],
      api_key_max_days: null,
      sharing: 'users',
      password_login: 'everyone',
      first_steps: true,
    });
  });

  it('contain no value that would narrow a list, or select the first user for a change', () => {
    const filled = operationsOf(document).flatMap(({ path, method, operation }) =>
      (operation.parameters ?? [])
        .filter((one): one is Exclude<typeof one, { $ref: string }> => 'in' in one)
        .filter((one) => one.example !== undefined || (one.schema as Schema).examples !== undefined)
        .filter((one) => (one.in === 'query' ? !one.required : method !== 'get' && one.name.endsWith('id')))
        .map((one) => `${method} ${path} ${one.name}`),
    );
    expect(filled).toEqual([]);
  });

  /** As Swagger UI generates it; undefined if the body has only the language. */
  function bodyOf(requestBody: unknown): unknown {
    const { content } = (requestBody ?? {}) as { content?: Record<string, DocumentedBody> };
    const { schema, examples = {} } = content?.['application/json'] ?? {};
    const [example] = Object.values(examples);
    if (example !== undefined) {
      return example.value;
    }
    return schema === undefined || schema.$ref?.endsWith('/LanguageBodyDto') ? undefined : sampleOf(schema);
  }

  function sampleOf(schema: Schema): unknown {
    if (schema.$ref) {
      return sampleOf((document.components?.schemas?.[schema.$ref.split('/').pop() ?? ''] ?? {}) as Schema);
    }
    const { examples, allOf, anyOf, oneOf, properties, items } = schema;
    if (examples !== undefined) {
      return examples[0];
    }
    if (anyOf ?? oneOf) {
      return sampleOf(anyOf?.[0] ?? oneOf?.[0] ?? {});
    }
    if (properties ?? allOf) {
      const own = Object.entries(properties ?? {}).map(([name, property]) => [name, sampleOf(property)]);
      const inherited = (allOf ?? []).map((part) => sampleOf(part) as object);
      return Object.assign({}, ...inherited, Object.fromEntries(own)) as unknown;
    }
    return items
      ? [sampleOf(items)]
      : (schema.default ?? schema.const ?? schema.enum?.[0] ?? (schema.type === 'boolean' ? true : null));
  }
});
