import { ApiProperty } from '@nestjs/swagger';
import type { ToolCallPart } from '../../../integrations/llm/port/message-parts';
import type { FinishReason, LiveReply, ReplyEnd } from '../../generation/generation.api';
import { customInputOf } from '../tools/custom-input';
import { CompletionUsageDto, toCompletionUsageDto } from './completion-usage.dto';

/** Why a completion ended, in OpenAI's words. */
export const COMPLETION_FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;
export type ChatCompletionFinishReason = (typeof COMPLETION_FINISH_REASONS)[number];

/** The function of a call. */
export class CalledFunctionDto {
  /** The function. @example 'get_weather' */
  name: string;

  /**
   * The namespace of the tool; absent: none.
   * @example 'team'
   */
  namespace?: string;

  /**
   * JSON, as the model wrote it: it may be malformed.
   * @example '{"city":"Paris"}'
   */
  arguments: string;
}

/** The custom tool of a call. */
export class CalledCustomToolDto {
  /** The tool. @example 'apply_patch' */
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

/** A tool that the model wants to have called. */
export class CompletionToolCallDto {
  /**
   * Its result names it as `tool_call_id`.
   * @example 'call_1'
   */
  id: string;

  /**
   * Which kind of tool.
   * @example 'function'
   */
  @ApiProperty({ enum: ['function', 'custom'] })
  type: 'function' | 'custom';

  /** Its name and arguments; absent for a custom tool. */
  function?: CalledFunctionDto;

  /** Its name and input; absent for a function. */
  custom?: CalledCustomToolDto;
}

/** What the model said. */
export class CompletionMessageDto {
  /**
   * Always `assistant`.
   * @example 'assistant'
   */
  role: 'assistant';

  /**
   * Null when the model only calls functions.
   * @example 'Hello! How can I help you?'
   */
  content: string | null;

  /** Always null: what a model refuses with stands in `content`. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  refusal: string | null;

  /** Always empty. */
  annotations: object[];

  /**
   * What the model thought; absent when it shows none.
   * @example 'A greeting.'
   */
  reasoning_content?: string;

  /** Absent when the model calls none. */
  tool_calls?: CompletionToolCallDto[];
}

/** The one answer of a completion. */
export class CompletionChoiceDto {
  /**
   * Always 0.
   * @example 0
   */
  index: number;

  /** What the model said. */
  message: CompletionMessageDto;

  /** Always null. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  logprobs: string | null;

  /** Why it ended. */
  finish_reason: ChatCompletionFinishReason;
}

/** A whole completion. */
export class ChatCompletionDto {
  /** Names the completion; it cannot be read again. @example 'chatcmpl-2' */
  id: string;

  /**
   * Always `chat.completion`.
   * @example 'chat.completion'
   */
  object: 'chat.completion';

  /**
   * When it was asked for, in Unix seconds.
   * @example 1769851800
   */
  created: number;

  /**
   * The model as the client named it.
   * @example 'General assistant'
   */
  model: string;

  /** Always null. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  system_fingerprint: string | null;

  /** Always one. */
  choices: CompletionChoiceDto[];

  /** What it used. */
  usage: CompletionUsageDto;
}

/** What all answers to one request begin with. */
export interface CompletionHead {
  created: number;
  model: string;
  /** Names of the functions that the caller executes; null: all that are called are the caller's. */
  callers: ReadonlySet<string> | null;
}

/** Whether the caller executes the function. Tools of the agent are called here, and are not shown. */
export function isCallers({ callers }: CompletionHead, name: string): boolean {
  return callers?.has(name) ?? true;
}

export function completionId({ messageId }: LiveReply): string {
  return `chatcmpl-${messageId}`;
}

export function toChatCompletionDto(head: CompletionHead, reply: LiveReply, end: ReplyEnd): ChatCompletionDto {
  const { created, model } = head;
  const { text, reasoning } = reply;
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
    usage: toCompletionUsageDto(end.usage),
  };
}

/** A reply that was stopped has none of OpenAI's reasons. */
export function toFinishReason(reason: FinishReason | null): ChatCompletionFinishReason {
  return COMPLETION_FINISH_REASONS.find((known) => known === reason) ?? 'stop';
}

export function toToolCallDto({ id, name: told, arguments: all, tool }: ToolCallPart): CompletionToolCallDto {
  const { type = 'function', name = told, namespace } = tool ?? {};
  const called = { name, ...(namespace !== undefined && { namespace }) };
  return type === 'custom'
    ? { id, type, custom: { ...called, input: customInputOf(all) } }
    : { id, type, function: { ...called, arguments: all } };
}
