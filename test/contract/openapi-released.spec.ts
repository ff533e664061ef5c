import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { builtDocument } from '../support/built-document';
import { documentBreaks } from '../support/openapi-changes/document-breaks';

/** Written by `npm run openapi:release`. That of 1.0.0 has no operation ids: they have been fixed since. */
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

/** Longest texts, by where they are in requests. Without them, texts of one account filled the memory for everybody. */
const LONGEST_TEXTS = {
  'CreateChatCompletion.messages[].content': 1_000_000,
  'CreateChatCompletion.messages[].refusal': 1_000_000,
  'CreateChatCompletion.messages[].tool_calls[].function.arguments': 1_000_000,
  'CreateChatCompletion.response_format.json_schema.description': 1_000_000,
  'CreateChatCompletion.tools[].function.description': 1_000_000,
  'OpenAiInputItem.arguments': 1_000_000,
  'OpenAiInputItem.content': 1_000_000,
  'OpenAiInputItem.id': 256,
  'OpenAiInputItem.output': 1_000_000,
  'OpenAiResponseRequest.input': 1_000_000,
  'OpenAiResponseRequest.instructions': 1_000_000,
  'OpenAiResponseRequest.model': 256,
  'OpenAiResponseRequest.prompt_cache_key': 64,
  'OpenAiResponseRequest.safety_identifier': 64,
  'OpenAiResponseRequest.service_tier': 64,
  'OpenAiResponseRequest.text.format.description': 1_000_000,
  'OpenAiResponseRequest.tools[].description': 1_000_000,
  'OpenAiResponseRequest.user': 512,
};

/** Differences that are no breaks, by the reason. A new release, which renews the file, empties the list. */
const EXPLAINED: Record<string, string[]> = {
  'Only for who asks for `session: "cookie"`, which is new.': ['TokenPairDto.refresh_token in answers: is gone'],
  'The events are the same. They were described as text, and have schemas now.': [...STREAMS, ...OPENAI_STREAMS].map(
    (route) => `${route} 200 text/event-stream in answers: string became object`,
  ),
  'Plain text never was an object. The trailer in it was named as an alternative.': STREAMS.map(
    (route) => `${route} 200 text/plain in answers: object became string`,
  ),
  'Texts that are kept or told to a model have a limit.': Object.entries(LONGEST_TEXTS).map(
    ([place, most]) => `${place} in requests: maxLength none became ${most}`,
  ),
  'A text or a list, as before. Of the two, the text is another one now, because it has a limit.': [
    'CreateChatCompletion.messages[].content in requests: array became string',
    'OpenAiInputItem.content in requests: array became string',
    'OpenAiInputItem.output in requests: array became string',
    'OpenAiResponseRequest.input in requests: array became string',
    'OpenAiResponseRequest.tool_choice in requests: object became string',
  ],
  'A value that every request could have had was refused.': [
    'CreateChatCompletion.tool_choice in requests: object became string',
  ],
  'Only in calls of custom tools, which nobody could offer.': [
    'CompletionToolCallDto.function in answers: may be absent now',
  ],
  'It never answered with events.': ['POST /openai/v1/responses/{response_id}/cancel 200 text/event-stream: is gone'],
};

it('has nothing but additions since the last release, within the first version of the API', async () => {
  const released = JSON.parse(await readFile(RELEASED, 'utf8')) as OpenAPIObject;
  const { document } = await builtDocument();
  // The id of the request is in every answer, as the first page says, and no more repeated at each failure.
  const found = documentBreaks(released, document).filter((text) => !text.endsWith(' header X-Request-Id: is gone'));
  expect(found).toEqual(Object.values(EXPLAINED).flat().sort());
  expect(document.info.description).toContain('Every answer carries `X-Request-Id`');
});
