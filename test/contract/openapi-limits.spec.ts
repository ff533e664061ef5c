import type { OpenAPIObject } from '@nestjs/swagger';
import { builtDocument } from '../support/built-document';
import { unlimitedIn } from '../support/request-limits';

const COMPLETION = 'POST /openai/v1/chat/completions body';
const CALLBACK = 'GET /api/v1/auth/oidc/{slug}/callback';
const CONNECTED = 'GET /api/v1/oauth/mcp/callback';
const RESPONSE = 'POST /openai/v1/responses body';

/**
 * Values without a limit in the document, by the reason. `test/e2e/request-limits.e2e-spec.ts` tests all limits, and
 * the sizes of this JSON.
 */
const EXPLAINED: Record<string, string[]> = {
  'JSON that comes back as it was sent, of at most 8 KB.': ['PUT /api/v1/user/settings body.client.*: anything'],
  'Schemas: with what stands beside them, at most 1,000,000 characters of JSON.': [
    `${COMPLETION}.tools[].function.parameters.*: anything`,
    `${COMPLETION}.tools[].tools[].function.parameters.*: anything`,
    `${COMPLETION}.tools[].tools[].parameters.*: anything`,
    `${COMPLETION}.response_format.json_schema.schema.*: anything`,
    `${RESPONSE}.tools[].parameters.*: anything`,
    `${RESPONSE}.tools[].tools[].parameters.*: anything`,
    `${RESPONSE}.text.format.schema.*: anything`,
  ],
  'Refused whatever it is.': [
    `${COMPLETION}.audio: anything`,
    `${COMPLETION}.function_call: anything`,
    `${COMPLETION}.functions: anything`,
    `${COMPLETION}.logit_bias.*: anything`,
    `${COMPLETION}.messages[].function_call: anything`,
    `${COMPLETION}.web_search_options: anything`,
    `${RESPONSE}.prompt: anything`,
    // Third-party servers.
    `${RESPONSE}.tools[].connector_id: anything`,
  ],
  'Ignored, and kept nowhere. A text is too long all the same beyond the limits of responses.': [
    `${COMPLETION}.prompt_cache_key: anything`,
    `${COMPLETION}.safety_identifier: anything`,
    `${COMPLETION}.user: anything`,
  ],
  'A file of prices, of at most 20 MiB, 100,000 members an object and 2,000,000 values.': [
    'POST /api/v1/admin/prices/import body.*: anything',
    'POST /api/v1/admin/prices/import body: maxProperties',
  ],
  'The bytes of a file, of at most FILE_MAX_MB.': [
    'POST /api/v1/files body.file: maxLength',
    'POST /api/v1/knowledge/{id}/files body.file: maxLength',
    'POST /openai/v1/files body.file: maxLength',
    'POST /openai/v1/uploads/{upload_id}/parts body.data: maxLength',
  ],
  'Fields of a form, of at most 64 KiB; attributes have names of at most 64 characters.': [
    'POST /api/v1/knowledge/{id}/files body.attributes: maxLength',
    'POST /api/v1/knowledge/{id}/files body.attributes: names',
    'POST /api/v1/knowledge/{id}/files body.chunking_strategy: maxLength',
    'PUT /api/v1/knowledge/{id}/files/{file_id} body.attributes: names',
    'POST /openai/v1/vector_stores/{vector_store_id}/file_batches body.attributes: names',
    'POST /openai/v1/vector_stores/{vector_store_id}/file_batches body.files[].attributes: names',
    'POST /openai/v1/vector_stores/{vector_store_id}/files body.attributes: names',
    'POST /openai/v1/vector_stores/{vector_store_id}/files/{file_id} body.attributes: names',
  ],
  'Settings of another program, of at most 64 KiB with the whole body.': [
    'PUT /api/v1/admin/claude_settings body.policies[].settings.*: anything',
  ],
  'The context of the embedding model limits its texts.': [
    'POST /openai/v1/embeddings body.input: maxLength',
    'POST /openai/v1/embeddings body.input[]: maxLength',
  ],
  'Arguments of a tool, whose own schema says what they may be.': [
    'POST /api/v1/admin/tools/{name}/test body.arguments.*: anything',
    'POST /api/v1/chat/message body.approvals[].input.*: anything',
    'POST /api/v1/chat/{chat_id}/actions/{action_id} body.arguments.*: anything',
  ],
  'The address that a provider sends the browser to, of any length that HTTP takes: it is led to a page, and no text is kept.':
    [
      `${CALLBACK} path slug: maxLength`,
      `${CALLBACK} query code: maxLength`,
      `${CALLBACK} query error: maxLength`,
      `${CALLBACK} query iss: maxLength`,
      `${CALLBACK} query state: maxLength`,
      `${CONNECTED} query code: maxLength`,
      `${CONNECTED} query error: maxLength`,
      `${CONNECTED} query iss: maxLength`,
      `${CONNECTED} query state: maxLength`,
    ],
  'Names of headers of at most 100 characters, and of tools of at most 255; with a longer one all of it is refused.': [
    'POST /api/v1/admin/guards body.headers: names',
    'POST /api/v1/admin/mcp_servers body.headers: names',
    'POST /api/v1/admin/mcp_servers body.policies: names',
    'POST /api/v1/admin/mcp_servers/import body.servers[].headers: names',
    'POST /api/v1/admin/mcp_servers/import body.servers[].policies: names',
    'PUT /api/v1/admin/guards/{id} body.headers: names',
    'PUT /api/v1/admin/mcp_servers/{id} body.headers: names',
    'PUT /api/v1/admin/mcp_servers/{id} body.policies: names',
    `${RESPONSE}.tools[].headers: names`,
  ],
  'Names of tools, of at most 64 characters; with a longer one all of it is refused.': [
    'POST /api/v1/chat/message body.tool_policies: names',
    'POST /api/v1/chat/{chat_id}/messages/{message_id}/regenerate body.tool_policies: names',
    'PUT /api/v1/chat/{chat_id}/messages/{message_id} body.tool_policies: names',
  ],
  'A number, which is read; no text is kept.': ['GET /api/v1/chat/{chat_id}/stream header Last-Event-ID: maxLength'],
};

describe('request values in the OpenAPI document', () => {
  it('have a limit of length or number everywhere', async () => {
    const { document } = await builtDocument();
    const found = unlimitedIn(document).map(({ operation, place, lacks }) => `${operation} ${place}: ${lacks}`);
    expect([...new Set(found)].sort()).toEqual(Object.values(EXPLAINED).flat().sort());
  });

  it.each([
    ['a text', { type: 'string' }, ['body.x: maxLength']],
    ['a text that may be null', { type: ['string', 'null'], minLength: 1 }, ['body.x: maxLength']],
    ['a text with a pattern', { type: 'string', pattern: '^[a-z]+$' }, ['body.x: maxLength']],
    ['a short text', { type: 'string', maxLength: 5 }, []],
    ['one of some texts', { type: 'string', enum: ['a', 'b'] }, []],
    ['a list', { type: 'array', items: { type: 'string' } }, ['body.x: maxItems', 'body.x[]: maxLength']],
    ['a short list of numbers', { type: 'array', maxItems: 3, items: { type: 'integer' } }, []],
    [
      'texts by names',
      { type: 'object', additionalProperties: { type: 'string' } },
      ['body.x: maxProperties', 'body.x: names', 'body.x.*: maxLength'],
    ],
    ['an object of anything', { type: 'object' }, ['body.x: maxProperties', 'body.x.*: anything']],
    ['anything', {}, ['body.x: anything']],
    ['one of several', { anyOf: [{ type: 'null' }, { type: 'string' }] }, ['body.x: maxLength']],
    ['a schema elsewhere', { $ref: '#/components/schemas/Note' }, ['body.x.next: maxItems', 'body.x.text: maxLength']],
  ])('are found in %s', (_what, schema, expected) => {
    const note = {
      type: 'object',
      properties: {
        next: { type: 'array', items: { $ref: '#/components/schemas/Note' } },
        text: { type: 'string' },
      },
    };
    const body = { allOf: [{ type: 'object', properties: { x: schema } }] };
    const document = {
      paths: { '/': { post: { requestBody: { content: { 'application/json': { schema: body } } }, responses: {} } } },
      components: { schemas: { Note: note } },
    };
    const parsed = JSON.parse(JSON.stringify(document)) as OpenAPIObject;
    expect(unlimitedIn(parsed).map(({ place, lacks }) => `${place}: ${lacks}`)).toEqual(expected);
  });
});
