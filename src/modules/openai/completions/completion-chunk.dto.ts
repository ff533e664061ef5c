import { ApiProperty } from '@nestjs/swagger';
import { type ChatCompletionFinishReason, COMPLETION_FINISH_REASONS } from './completion.dto';
import { CompletionUsageDto } from './completion-usage.dto';

/** What is told of the custom tool of a call. */
export class CalledCustomToolDeltaDto {
  /** In the first chunk of the call. @example "apply_patch" */
  name?: string;

  /** In the first chunk of the call: the namespace of the tool; absent: none. @example "team" */
  namespace?: string;

  /** The next piece of the input. @example "*** Begin" */
  input: string;
}

/** What is told of the function of a call. */
export class CalledFunctionDeltaDto {
  /** In the first chunk of the call. @example "get_weather" */
  name?: string;

  /** In the first chunk of the call: the namespace of the tool; absent: none. @example "team" */
  namespace?: string;

  /** The next piece of the arguments, which are JSON when they are whole. @example "{\"city\":" */
  arguments: string;
}

/** The beginning of a call, or more of its arguments. */
export class CompletionToolCallDeltaDto {
  /** Counts the calls of the completion from 0. @example 0 */
  index: number;

  /** In the first chunk of the call: its result names it as `tool_call_id`. @example "call_1" */
  id?: string;

  /** In the first chunk of the call: which kind of tool. @example "function" */
  @ApiProperty({ enum: ['function', 'custom'] })
  type?: 'function' | 'custom';

  /** Its name, or a piece of its arguments; absent for a custom tool. */
  function?: CalledFunctionDeltaDto;

  /** Its name, or a piece of its input; absent for a function. */
  custom?: CalledCustomToolDeltaDto;
}

/** What is new. */
export class CompletionDeltaDto {
  /** In the first chunk, always `assistant`. @example "assistant" */
  @ApiProperty({ enum: ['assistant'] })
  role?: 'assistant';

  /** The next piece of the text. @example "Hello" */
  content?: string;

  /** In the first chunk, always null. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  refusal?: string | null;

  /** The next piece of what the model thinks. @example "A greeting." */
  reasoning_content?: string;

  /** One call. */
  tool_calls?: CompletionToolCallDeltaDto[];
}

/** The one answer of a completion. */
export class CompletionChunkChoiceDto {
  /** Always 0. @example 0 */
  index: number;

  /** What is new. */
  delta: CompletionDeltaDto;

  /** Always null. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  logprobs: string | null;

  /** Why it ended, in the last chunk with a choice; null before. */
  @ApiProperty({ enum: COMPLETION_FINISH_REASONS, nullable: true })
  finish_reason: ChatCompletionFinishReason | null;
}

/** A piece of a streamed completion. */
export class CompletionChunkDto {
  /** The same in all chunks. @example "chatcmpl-2" */
  id: string;

  /** Always `chat.completion.chunk`. @example "chat.completion.chunk" */
  @ApiProperty({ enum: ['chat.completion.chunk'] })
  object: 'chat.completion.chunk';

  /** When it was asked for, in Unix seconds. @example 1769851800 */
  created: number;

  /** The model as the client named it. @example "General assistant" */
  model: string;

  /** Always null. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  system_fingerprint: string | null;

  /** One, or none in the chunk with the usage. */
  choices: CompletionChunkChoiceDto[];

  /** With `stream_options.include_usage`: what was used, in the chunk without a choice; null in all others. */
  usage?: CompletionUsageDto | null;
}
