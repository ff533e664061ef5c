import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { eventExamples, shownStream } from '../../../common/http/event-stream-example';
import { tokenUsage } from '../../../common/token-usage';
import { toTokenUsageDto } from '../../../common/token-usage.dto';
import { referenceTo } from '../../../common/validation/schemas/named-schema';
import { LiveReply, type ReplyEnd } from '../../generation/generation.api';
import { MessageDto } from '../messages/message.dto';
import { actingExample } from './acting-example';
import { REPLY_EVENT, REPLY_EVENT_DTOS } from './formats/reply-event.dto';
import { ReplyTrailerDto } from './formats/reply-trailer.dto';
import { UI_CHUNK } from './formats/ui-chunk.schema';
import { UiIdsDto, UiTrailerDto } from './formats/ui-message.dto';
import type { StreamFormat } from './reply-query.dto';
import { createReplyWriter } from './stream-format';

const QUESTION = 'What should I see in Lisbon?';
const THOUGHT = 'A first visit, so the old town.';
const PIECES = ['The Alfama', ' quarter first.'];

const USAGE = { ...tokenUsage(120, 16), cached: 0, reasoning: 9, isEstimated: false, model: 'gpt-4o-mini' };

const END: ReplyEnd = {
  status: 'completed',
  finishReason: 'stop',
  usage: USAGE,
  failure: null,
  title: 'Trip to Lisbon',
};

const SENT: MessageDto = {
  id: 1,
  chat_id: 1,
  role: 'user',
  content: QUESTION,
  parts: null,
  status: 'completed',
  finish_reason: null,
  parent_id: null,
  is_current: true,
  model: null,
  error: null,
  feedback: null,
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:00.000Z',
  completed_at: '2026-01-31T09:30:00.000Z',
  first_token_ms: null,
  duration_ms: null,
};

const REPLY: MessageDto = {
  ...SENT,
  id: 2,
  role: 'assistant',
  content: PIECES.join(''),
  reasoning: THOUGHT,
  finish_reason: END.finishReason,
  parent_id: SENT.id,
  model: 'gpt-4o-mini',
  token_usage: toTokenUsageDto(USAGE),
  updated_at: '2026-01-31T09:30:03.100Z',
  completed_at: '2026-01-31T09:30:03.100Z',
  first_token_ms: 420,
  duration_ms: 3100,
};

const FAILURE: ReplyEnd = {
  ...END,
  status: 'failed',
  finishReason: 'error',
  failure: { code: 'PROVIDER_TIMEOUT', retryable: true },
  title: null,
};

const STOP: ReplyEnd = { ...END, status: 'stopped', finishReason: 'cancelled', title: null };

const STREAMS = {
  'text/plain': {
    schema: {
      type: 'string',
      description: 'The text, a line break, `__TOKEN_USAGE__` and a `ReplyTrailerDto` on one line.',
      'x-trailer': getSchemaPath(ReplyTrailerDto),
    },
    example: exampleStream('text'),
  },
  'text/event-stream': {
    schema: { anyOf: [referenceTo(REPLY_EVENT), referenceTo(UI_CHUNK)] },
    /** Created with the OpenAPI document, because error texts would load all languages at every start. */
    get examples() {
      const streams = (format: StreamFormat): string[] => [
        ...[END, FAILURE, STOP].map((end) => exampleStream(format, end)),
        actingExample(format, USAGE),
      ];
      return {
        ...eventExamples(streams('sse'), ({ event }) => `sse.${event}`),
        ...eventExamples(
          [
            ...streams('ui_message'),
            exampleStream('ui_message', { ...END, finishReason: 'tool_calls' }),
            // A page that cannot request the approval gets the action as data.
            actingExample('ui_message', USAGE, 5),
          ],
          ({ data }) => `ui_message.${String(data.type)}`,
        ),
      };
    },
  },
};

/** The layout of the event data. */
const STREAM_TEXT =
  `\n\nWith \`stream_format=sse\`; the id of an event is the offset to join again:\n\n${shownStream(exampleStream('sse'))}` +
  `\n\nWith \`stream_format=ui_message\` for \`useChat\` of the AI SDK; a failed request returns its message as plain text and its code in \`X-Error-Code\`:\n\n${shownStream(exampleStream('ui_message'))}`;

const IDS = {
  'X-Chat-Id': { description: 'Id of the conversation.', schema: { type: 'integer' } },
  'X-User-Message-Id': { description: 'Id of the message that is answered.', schema: { type: 'integer' } },
  'X-Message-Id': { description: 'Id of the reply.', schema: { type: 'integer' } },
};

const QUOTA = {
  'X-Quota-Messages-Remaining': {
    description: 'Messages left today, after the reply or when its stream starts. Absent if there is no limit.',
    schema: { type: 'integer' },
  },
  'X-Quota-Tokens-Remaining': {
    description: 'Tokens left today, after the reply or when its stream starts. Absent if there is no limit.',
    schema: { type: 'integer' },
  },
  'X-Cost': {
    description:
      'Cost of the reply, as `token_usage.cost`; not sent for streams. Absent if the model has no price or ' +
      'costs are hidden.',
    schema: { type: 'string' },
  },
};

const BUDGET = {
  'X-Budget-Remaining': {
    description:
      'Smallest amount left in any budget that applies, after the hold for this reply, as a decimal number. Absent if no ' +
      'budget applies or costs are hidden.',
    schema: { type: 'string' },
  },
};

const STREAM_HEADERS = {
  'Cache-Control': { description: 'For streams: `no-cache, no-transform`.', schema: { type: 'string' } },
  'X-Accel-Buffering': { description: 'For streams, read by proxies: `no`.', schema: { type: 'string' } },
  'x-vercel-ai-ui-message-stream': {
    description: 'With `stream_format=ui_message`: `v1`.',
    schema: { type: 'string' },
  },
};

/** Describes a reply, whole or in each of the stream formats. */
export const ReplyResponse = (): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(MessageDto, UiIdsDto, UiTrailerDto, ...REPLY_EVENT_DTOS),
    ApiOkResponse({
      description: `The message and the reply, or the stream of the reply.${STREAM_TEXT}`,
      headers: { ...IDS, ...QUOTA, ...BUDGET, ...STREAM_HEADERS },
      content: {
        'application/json': {
          schema: { type: 'array', items: { $ref: getSchemaPath(MessageDto) } },
          example: [SENT, REPLY],
        },
        ...STREAMS,
      },
    }),
  );

/** Describes the rest of a reply, in each of the stream formats. */
export const RestOfReplyResponse = (): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(UiIdsDto, UiTrailerDto, ...REPLY_EVENT_DTOS),
    ApiOkResponse({
      description: 'The rest of the reply, in the stream format of `POST /chat/message`.',
      headers: { ...IDS, ...STREAM_HEADERS },
      content: STREAMS,
    }),
  );

/** Created by the writers of the service, so that the examples match real streams. */
function exampleStream(format: StreamFormat, end = END): string {
  const reply = new LiveReply(SENT.chat_id, SENT.id, REPLY.id);
  const writer = createReplyWriter(format, 'en');
  reply.reason(THOUGHT);
  let stream = writer.begin(reply, 0) + writer.reasoning(THOUGHT, 0);
  for (const piece of PIECES) {
    reply.append(piece);
    stream += writer.text(piece, reply.words.length);
  }
  if (end.finishReason === 'tool_calls') {
    reply.callTool('call_1', 'weather');
    reply.addArguments(0, '{"city":"Lisbon"}');
  }
  return stream + writer.end(reply, end);
}
