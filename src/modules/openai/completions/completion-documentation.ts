import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import type { LiveReply, ReplyEnd } from '../../chat/chat.api';
import { ChatCompletionDto, toChatCompletionDto } from './completion.dto';
import { CompletionChunkWriter } from './completion-chunk-writer';
import { completionRequest } from './request/completion-request.schema';

const HEAD = { created: 1_769_851_800, model: 'General assistant' };

const REPLY = { messageId: 2, text: 'Hello!', reasoning: '', toolCalls: [] } as unknown as LiveReply;

const END: ReplyEnd = {
  status: 'completed',
  finishReason: 'stop',
  usage: { prompt: 12, completion: 2, total: 14, cached: 0, reasoning: 0, isEstimated: false, model: 'scripted' },
  failure: null,
  title: null,
};

/** Documents what POST /chat/completions takes. */
export const CompletionBody = (): MethodDecorator =>
  ApiSchemaBody('CreateChatCompletion', completionRequest, {
    'A question': { value: { model: HEAD.model, messages: [{ role: 'user', content: 'Hello' }] } },
    'A stream': { value: { model: HEAD.model, messages: [{ role: 'user', content: 'Hello' }], stream: true } },
  });

/** Documents its answers, which the service's own code makes. */
export const CompletionResponse = (): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(ChatCompletionDto),
    ApiOkResponse({
      description:
        'The completion, or with `stream` its chunks. A stream that fails ends with an `error` and `[DONE]`.',
      content: {
        'application/json': {
          schema: { $ref: getSchemaPath(ChatCompletionDto) },
          example: toChatCompletionDto(HEAD, REPLY, END),
        },
        'text/event-stream': { schema: { type: 'string' }, example: exampleStream() },
      },
    }),
  );

function exampleStream(): string {
  const writer = new CompletionChunkWriter(HEAD, true, 'en');
  return writer.begin(REPLY) + writer.step({ kind: 'text', text: REPLY.text }) + writer.end(REPLY, END);
}
