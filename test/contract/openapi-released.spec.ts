import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { builtDocument } from '../support/built-document';
import { documentBreaks } from '../support/openapi-changes/document-breaks';

/** Written by `npm run openapi:release`. Operation ids are included, because they name the methods of the client. */
const RELEASED = join(__dirname, '../fixtures/released/openapi-v1.json');

const STREAMS = [
  'GET /api/v1/chat/{chat_id}/stream',
  'POST /api/v1/chat/message',
  'POST /api/v1/chat/{chat_id}/messages/{message_id}/regenerate',
  'PUT /api/v1/chat/{chat_id}/messages/{message_id}',
];

const OPENAI_STREAMS = [
  'GET /openai/v1/responses/{response_id}',
  'POST /openai/v1/chat/completions',
  'POST /openai/v1/responses',
];

/**
 * Limits that requests had before and that are new in the document, by the last member of their location: the maximum
 * length of a text, the maximum number of items or members, and the minimum of a text or a list.
 */
const NAMED_NOW: Record<string, string[]> = {
  lang: ['maxLength 16'],
  language: ['maxLength 16'],
  timezone: ['maxLength 64'],
  from: ['maxLength 35'],
  to: ['maxLength 35'],
  until: ['maxLength 35'],
  expires_at: ['maxLength 35'],
  membership_expires_at: ['maxLength 35'],
  scopes: ['maxItems 14'],
  tags: ['maxItems 20'],
  client: ['maxProperties 1000'],
  stop: ['maxLength 100', 'minLength 1', 'minItems 1'],
  'stop[]': ['maxLength 100', 'minLength 1'],
  api_key: ['maxLength 4096'],
  base_url: ['maxLength 2048'],
  'events[]': ['maxLength 64'],
  'allowed_email_domains[]': ['maxLength 253'],
  'Idempotency-Key': ['maxLength 64', 'minLength 1'],
  action: ['maxLength 128'],
  target: ['maxLength 97'],
  hash: ['maxLength 64'],
  conversation_id: ['maxLength 22'],
  response_id: ['maxLength 22'],
  item_id: ['maxLength 22'],
  // For a provider in a path; for an item the limit is new.
  id: ['maxLength 16'],
  model: ['maxLength 256'],
  url: ['maxLength 2048', 'maxLength 15000000'],
  image_url: ['maxLength 15000000'],
  file_url: ['maxLength 15000000'],
  file_data: ['maxLength 15000000'],
  name: ['maxLength 64', 'maxLength 128'],
  parameters: ['maxProperties 1000'],
  schema: ['maxProperties 1000'],
  logit_bias: ['maxProperties 1000'],
};

/** New limits, by their location in requests. Without them, texts of one account exhausted the memory for all users. */
const NEW_LIMITS = {
  maxLength: {
    'CreateChatCompletion.messages[].content': 1_000_000,
    'CreateChatCompletion.messages[].content[].file.file_id': 256,
    'CreateChatCompletion.messages[].content[].file.filename': 1_000,
    'CreateChatCompletion.messages[].content[].refusal': 1_000_000,
    'CreateChatCompletion.messages[].content[].text': 1_000_000,
    'CreateChatCompletion.messages[].refusal': 1_000_000,
    'CreateChatCompletion.messages[].tool_calls[].function.arguments': 1_000_000,
    'CreateChatCompletion.response_format.json_schema.description': 1_000_000,
    'CreateChatCompletion.tool_choice.type': 64,
    'CreateChatCompletion.tools[].function.description': 1_000_000,
    'CreateChatCompletion.tools[].type': 512,
    'GET /api/v1/chat/{chat_id}/stream query ticket': 1_024,
    'OpenAiInputItem.arguments': 1_000_000,
    'OpenAiInputItem.content': 1_000_000,
    'OpenAiInputItem.content[].file_id': 256,
    'OpenAiInputItem.content[].filename': 1_000,
    'OpenAiInputItem.content[].refusal': 1_000_000,
    'OpenAiInputItem.content[].text': 1_000_000,
    'OpenAiInputItem.id': 256,
    'OpenAiInputItem.output': 1_000_000,
    'OpenAiInputItem.output[].file_id': 256,
    'OpenAiInputItem.output[].filename': 1_000,
    'OpenAiInputItem.output[].text': 1_000_000,
    'OpenAiResponseRequest.conversation': 256,
    'OpenAiResponseRequest.conversation.id': 256,
    'OpenAiResponseRequest.include[]': 256,
    'OpenAiResponseRequest.input': 1_000_000,
    'OpenAiResponseRequest.instructions': 1_000_000,
    'OpenAiResponseRequest.model': 256,
    'OpenAiResponseRequest.previous_response_id': 256,
    'OpenAiResponseRequest.prompt_cache_key': 64,
    'OpenAiResponseRequest.safety_identifier': 64,
    'OpenAiResponseRequest.service_tier': 64,
    'OpenAiResponseRequest.text.format.description': 1_000_000,
    'OpenAiResponseRequest.tool_choice.name': 256,
    'OpenAiResponseRequest.tool_choice.tools[].name': 256,
    'OpenAiResponseRequest.tool_choice.type': 64,
    'OpenAiResponseRequest.tools[].description': 1_000_000,
    'OpenAiResponseRequest.tools[].type': 512,
    'OpenAiResponseRequest.user': 512,
  },
  maxItems: {
    'CreateChatCompletion.messages[].content': 2_000,
    'CreateChatCompletion.messages[].tool_calls': 2_000,
    'CreateChatCompletion.modalities': 8,
    'CreateChatCompletion.tool_choice.allowed_tools.tools': 512,
    'GET /openai/v1/conversations/{conversation_id}/items query include': 16,
    'GET /openai/v1/conversations/{conversation_id}/items/{item_id} query include': 16,
    'GET /openai/v1/responses/{response_id}/input_items query include': 16,
    'OpenAiInputItem.content': 2_000,
    'OpenAiInputItem.output': 2_000,
    'OpenAiResponseRequest.include': 64,
    'POST /openai/v1/conversations/{conversation_id}/items query include': 16,
  },
};

/** Differences that are not breaking, by the reason. A new release renews the file and empties the list. */
const EXPLAINED: Record<string, string[]> = {
  'Only for command-line programs, which are new.': ['SessionDto.last_used_at in answers: may be null'],
  'Only for who asks for `session: "cookie"`, which is new.': ['TokenPairDto.refresh_token in answers: is gone'],
  'The events are the same. They were described as text, and have schemas now.': [...STREAMS, ...OPENAI_STREAMS].map(
    (route) => `${route} 200 text/event-stream in answers: string became object`,
  ),
  'Plain text never was an object. The trailer in it was named as an alternative.': STREAMS.map(
    (route) => `${route} 200 text/plain in answers: object became string`,
  ),
  'Texts that are kept or told to a model have a limit, and lists of them.': Object.entries(NEW_LIMITS).flatMap(
    ([limit, places]) =>
      Object.entries(places).map(([place, most]) => `${place} in requests: ${limit} none became ${most}`),
  ),
  'Only in calls of custom tools, which nobody could offer.': [
    'CompletionToolCallDto.function in answers: may be absent now',
  ],
  'Only in entries of the service itself and of the command line, which are new.': [
    'AuditLogDto.actor_id in answers: may be null',
  ],
  'It never answered with events.': ['POST /openai/v1/responses/{response_id}/cancel 200 text/event-stream: is gone'],
};

it('has only additions since the last release, within the first version of the API', async () => {
  const released = JSON.parse(await readFile(RELEASED, 'utf8')) as OpenAPIObject;
  const { document } = await builtDocument();
  // Every answer contains the request id, as the introduction describes, so it is no longer repeated for each error.
  const found = documentBreaks(released, document).filter(
    (text) => !text.endsWith(' header X-Request-Id: is gone') && !isNamedNow(text),
  );
  expect(found).toEqual(Object.values(EXPLAINED).flat().sort());
  expect(document.info.description).toMatch(/Every response carries\s`X-Request-Id`/);
});

function isNamedNow(text: string): boolean {
  const [, place = '', limit, most] = /^(.*) in requests: (\w+) none became (\d+)$/.exec(text) ?? [];
  const member = place.split(/[ .]/).pop() ?? '';
  const isNew = Object.values(NEW_LIMITS).some((places) => place in places);
  return !isNew && (NAMED_NOW[member]?.includes(`${limit} ${most}`) ?? false);
}
