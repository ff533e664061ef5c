import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { eventExamples, shownStream } from '../../../common/http/event-stream-example';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { namedSchema } from '../../../common/validation/schemas/named-schema';
import {
  IGNORED_TOOLS_HEADER,
  type LiveReply,
  type ReplyEnd,
  type ReplyStep,
  WITHHELD_TOOLS_HEADER,
} from '../../generation/generation.api';
import { OPENAI_ERROR_NAMES, type OpenAiErrorBody } from '../errors/openai-error-body';
import { ChatCompletionDto, type CompletionHead, toChatCompletionDto } from './completion.dto';
import { CompletionChunkDto } from './completion-chunk.dto';
import { CompletionChunkWriter } from './completion-chunk-writer';
import { completionRequest } from './request/completion-request.schema';
import { completionUserContent, functionName } from './request/message.schema';
import { chosenTool, customTool, functionTool } from './request/tool.schema';

/** The named schemas of a request. */
export const COMPLETION_SCHEMAS = [
  namedSchema('CompletionFunctionTool', functionTool),
  namedSchema('CompletionCustomTool', customTool),
  namedSchema('CompletionChosenTool', chosenTool),
  namedSchema('CompletionFunctionName', functionName),
  namedSchema('CompletionContent', completionUserContent),
];

const HEAD: CompletionHead = { created: 1_769_851_800, model: 'General assistant', callers: null };

const REPLY = { messageId: 2, text: 'Hello!', reasoning: '', toolCalls: [], citations: [] } as unknown as LiveReply;

const END: ReplyEnd = {
  status: 'completed',
  finishReason: 'stop',
  usage: { prompt: 12, completion: 2, total: 14, cached: 0, reasoning: 0, isEstimated: false, model: 'scripted' },
  failure: null,
  title: null,
};

const TEXT: ReplyStep = { kind: 'text', text: REPLY.text };

const STREAM = exampleStream([TEXT], END);

/** Kinds of chunks that the description shows. The examples show the others. */
const SHOWN = ['role', 'content', 'end', 'usage'];

const CALL: ReplyStep[] = [
  { kind: 'reasoning', text: 'Where?' },
  { kind: 'tool_call', call: 0, id: 'call_1', name: 'get_weather' },
  { kind: 'tool_arguments', call: 0, text: '{"city":"Paris"}' },
];

const FAILURE: ReplyEnd = { ...END, status: 'failed', failure: { code: 'PROVIDER_TIMEOUT', retryable: true } };

/** Describes the body of POST /chat/completions. */
export const CompletionBody = (): MethodDecorator =>
  ApiSchemaBody('CreateChatCompletion', completionRequest, {
    'A question': { value: { model: HEAD.model, messages: [{ role: 'user', content: 'Hello' }] } },
    'A stream': { value: { model: HEAD.model, messages: [{ role: 'user', content: 'Hello' }], stream: true } },
  });

/** Describes the responses. The service's own code generates the examples. */
export const CompletionResponse = (): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(ChatCompletionDto, CompletionChunkDto),
    ApiOkResponse({
      headers: { ...IGNORED_TOOLS_HEADER, ...WITHHELD_TOOLS_HEADER },
      description:
        'The completion, or with `stream` its chunks as events without a name. After a failure, the last event is an error. ' +
        `The stream always ends with \`[DONE]\`.\n\n${shownStream(STREAM)}`,
      content: {
        'application/json': {
          schema: { $ref: getSchemaPath(ChatCompletionDto) },
          example: toChatCompletionDto(HEAD, REPLY, END),
        },
        'text/event-stream': {
          schema: {
            anyOf: [
              { $ref: getSchemaPath(CompletionChunkDto) },
              { $ref: `#/components/schemas/${OPENAI_ERROR_NAMES.body}` },
            ],
          },
          /** Created with the OpenAPI document, because error texts would load all languages at every start. */
          get examples() {
            const called = exampleStream(CALL, { ...END, finishReason: 'tool_calls' });
            const examples = eventExamples([called, exampleStream([], FAILURE)], ({ data }) => kindOf(data));
            return Object.fromEntries(Object.entries(examples).filter(([kind]) => !SHOWN.includes(kind)));
          },
        },
      },
    }),
  );

function exampleStream(steps: ReplyStep[], end: ReplyEnd): string {
  const writer = new CompletionChunkWriter(HEAD, true, 'en');
  return writer.begin(REPLY) + steps.map((step) => writer.step(step)).join('') + writer.end(REPLY, end);
}

function kindOf({ choices = [], error }: Partial<CompletionChunkDto & OpenAiErrorBody>): string {
  const [choice] = choices;
  const [member = 'end'] = Object.keys(choice?.delta ?? {});
  return error !== undefined ? 'error' : choice === undefined ? 'usage' : member;
}
