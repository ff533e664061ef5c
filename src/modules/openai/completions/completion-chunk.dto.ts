import { ApiProperty } from '@nestjs/swagger';
import { OpenAiCitationDto } from '../citation.dto';
import { type ChatCompletionFinishReason, COMPLETION_FINISH_REASONS } from './completion.dto';
import { CompletionUsageDto } from './completion-usage.dto';

/** The next piece of a call to a custom tool. */
export class CalledCustomToolDeltaDto {
  /** The tool, in the first chunk of the call. @example "apply_patch" */
  name?: string;

  /** In the first chunk of the call: the namespace of the tool; absent: none. @example "team" */
  namespace?: string;

  /** The next piece of the input. @example "*** Begin" */
  input: string;
}

/** The next piece of a call to a function. */
export class CalledFunctionDeltaDto {
  /** The function, in the first chunk of the call. @example "get_weather" */
  name?: string;

  /** In the first chunk of the call: the namespace of the tool; absent: none. @example "team" */
  namespace?: string;

  /** The next piece of the arguments, which together are JSON. @example "{\"city\":" */
  arguments: string;
}

/** The start of a call, or the next piece of its arguments. */
export class CompletionToolCallDeltaDto {
  /** The index of the call in the completion, from 0. @example 0 */
  index: number;

  /** The ID, in the first chunk of the call. Its result has it as `tool_call_id`. @example "call_1" */
  id?: string;

  /** The kind of tool, in the first chunk of the call. @example "function" */
  @ApiProperty({ enum: ['function', 'custom'] })
  type?: 'function' | 'custom';

  /** The name or a piece of the arguments; absent for a custom tool. */
  function?: CalledFunctionDeltaDto;

  /** The name or a piece of the input; absent for a function. */
  custom?: CalledCustomToolDeltaDto;
}

/** The difference to the previous chunk. */
export class CompletionDeltaDto {
  /** In the first chunk, always `assistant`. @example "assistant" */
  @ApiProperty({ enum: ['assistant'] })
  role?: 'assistant';

  /** The next piece of the text. @example "Hello" */
  content?: string;

  /** In the first chunk, always null. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  refusal?: string | null;

  /** The next piece of the reasoning. @example "A greeting." */
  reasoning_content?: string;

  /** The next piece of a call. */
  tool_calls?: CompletionToolCallDeltaDto[];
}

/** The only choice of a completion. */
export class CompletionChunkChoiceDto {
  /** Always 0. @example 0 */
  index: number;

  /** The difference to the previous chunk. */
  delta: CompletionDeltaDto;

  /** Always null. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  logprobs: string | null;

  /** The finish reason, in the last chunk with a choice; null before. */
  @ApiProperty({ enum: COMPLETION_FINISH_REASONS, nullable: true })
  finish_reason: ChatCompletionFinishReason | null;
}

/** A piece of a streamed completion. */
export class CompletionChunkDto {
  /** The ID, equal in all chunks. @example "chatcmpl-2" */
  id: string;

  /** Always `chat.completion.chunk`. @example "chat.completion.chunk" */
  @ApiProperty({ enum: ['chat.completion.chunk'] })
  object: 'chat.completion.chunk';

  /** The time of the request, in Unix seconds. @example 1769851800 */
  created: number;

  /** The model, as named in the request. @example "General assistant" */
  model: string;

  /** Always null. */
  @ApiProperty({ type: String, nullable: true, enum: [null] })
  system_fingerprint: string | null;

  /** One choice; none in the chunk with the usage. */
  choices: CompletionChunkChoiceDto[];

  /** The passages of documents that the text uses, in the chunk with `finish_reason`; absent: none. */
  citations?: OpenAiCitationDto[];

  /** The usage, with `stream_options.include_usage`: in the chunk without a choice; null in all others. */
  usage?: CompletionUsageDto | null;
}
