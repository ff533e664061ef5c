import { ApiProperty } from '@nestjs/swagger';
import type { ToolCallPart } from '../../../integrations/llm/port/message-parts';
import type { FinishReason, LiveReply, ReplyEnd } from '../../generation/generation.api';
import { OpenAiCitationDto, toOpenAiCitation } from '../citation.dto';
import { customInputOf } from '../tools/custom-input';
import { CompletionUsageDto, toCompletionUsageDto } from './completion-usage.dto';

/** The finish reasons of OpenAI's API. */
export const COMPLETION_FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;
export type ChatCompletionFinishReason = (typeof COMPLETION_FINISH_REASONS)[number];

/** The function of a call. */
export class CalledFunctionDto {
  /** The name of the function. @example 'get_weather' */
  name: string;

  /**
   * The namespace of the tool; absent: none.
   * @example 'team'
   */
  namespace?: string;

  /**
   * JSON as the model wrote it, possibly malformed.
   * @example '{"city":"Paris"}'
   */
  arguments: string;
}

/** The custom tool of a call. */
export class CalledCustomToolDto {
  /** The name of the tool. @example 'apply_patch' */
  name: string;

  /**
   * The namespace of the tool; absent: none.
   * @example 'team'
   */
  namespace?: string;

  /**
   * Plain text.
   * @example '*** Begin Patch'
   */
  input: string;
}

/** A tool call that the model requests. */
export class CompletionToolCallDto {
  /**
   * The ID, which the result has as `tool_call_id`.
   * @example 'call_1'
   */
  id: string;

  /**
   * The kind of tool.
   * @example 'function'
   */
  @ApiProperty({ enum: ['function', 'custom'] })
  type: 'function' | 'custom';

  /** The name and arguments; absent for a custom tool. */
  function?: CalledFunctionDto;

  /** The name and input; absent for a function. */
  custom?: CalledCustomToolDto;
}

/** The message of the model. */
export class CompletionMessageDto {
  /**
   * Always `assistant`.
   * @example 'assistant'
   */
  role: 'assistant';

  /**
   * The text; null if the model only calls functions.
   * @example 'Hello! How can I help you?'
   */
  content: string | null;

  /** Always null: `content` contains a refusal of the model. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  refusal: string | null;

  /** Always empty. */
  annotations: object[];

  /**
   * The reasoning of the model; absent if there is none.
   * @example 'A greeting.'
   */
  reasoning_content?: string;

  /** The tool calls; absent if there are none. */
  tool_calls?: CompletionToolCallDto[];
}

/** The only choice of a completion. */
export class CompletionChoiceDto {
  /**
   * Always 0.
   * @example 0
   */
  index: number;

  /** The message of the model. */
  message: CompletionMessageDto;

  /** Always null. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  logprobs: string | null;

  /** The finish reason. */
  finish_reason: ChatCompletionFinishReason;
}

/** A complete completion. */
export class ChatCompletionDto {
  /** The ID. A completion cannot be retrieved later. @example 'chatcmpl-2' */
  id: string;

  /**
   * Always `chat.completion`.
   * @example 'chat.completion'
   */
  object: 'chat.completion';

  /**
   * The time of the request, in Unix seconds.
   * @example 1769851800
   */
  created: number;

  /**
   * The model, as named in the request.
   * @example 'General assistant'
   */
  model: string;

  /** Always null. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  system_fingerprint: string | null;

  /** Exactly one choice. */
  choices: CompletionChoiceDto[];

  /** The passages of documents that the text uses, in its order; absent: none. */
  citations?: OpenAiCitationDto[];

  /** The token usage. */
  usage: CompletionUsageDto;
}

/** The members that all responses to one request share. */
export interface CompletionHead {
  created: number;
  model: string;
  /** Names of the functions that the client runs; null: all functions are the client's. */
  callers: ReadonlySet<string> | null;
}

/** Whether the client runs the function. The service runs the agent's own tools and does not show them. */
export function isCallers({ callers }: CompletionHead, name: string): boolean {
  return callers?.has(name) ?? true;
}

export function completionId({ messageId }: LiveReply): string {
  return `chatcmpl-${messageId}`;
}

export function toChatCompletionDto(head: CompletionHead, reply: LiveReply, end: ReplyEnd): ChatCompletionDto {
  const { created, model } = head;
  const { text, reasoning, citations } = reply;
  const toolCalls = reply.toolCalls.filter(({ name }) => isCallers(head, name));
  const message: CompletionMessageDto = {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    refusal: null,
    annotations: [],
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(toToolCallDto) }),
  };
  return {
    id: completionId(reply),
    object: 'chat.completion',
    created,
    model,
    system_fingerprint: null,
    choices: [{ index: 0, message, logprobs: null, finish_reason: toFinishReason(end.finishReason) }],
    ...(citations.length > 0 && { citations: citations.map(toOpenAiCitation) }),
    usage: toCompletionUsageDto(end.usage),
  };
}

/** OpenAI's API has no finish reason for a stopped reply. */
export function toFinishReason(reason: FinishReason | null): ChatCompletionFinishReason {
  return COMPLETION_FINISH_REASONS.find((known) => known === reason) ?? 'stop';
}

export function toToolCallDto({ id, name: modelName, arguments: all, tool }: ToolCallPart): CompletionToolCallDto {
  const { type = 'function', name = modelName, namespace } = tool ?? {};
  const called = { name, ...(namespace !== undefined && { namespace }) };
  return type === 'custom'
    ? { id, type, custom: { ...called, input: customInputOf(all) } }
    : { id, type, function: { ...called, arguments: all } };
}
