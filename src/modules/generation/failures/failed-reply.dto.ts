import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { PageOrFileQueryDto } from '../../../common/csv/csv-query.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import { FieldRule, MaxLength, OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { TimeParameter } from '../../../common/validation/times';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';
import type { ShownTraces } from '../reply/reply-spans';
import type { FailedReply } from './failed-replies';
import type { ModelRecord } from './model-reliability';

const LARGEST_ID = 2_147_483_647;

const LISTED_STATUSES = ['failed'] as const;
type ListedStatus = (typeof LISTED_STATUSES)[number];

const FAILED_REPLY_SORT_FIELDS = ['id', 'failed_at'] as const;

/** The `id` of a failure on another page. */
const CursorParameter = (): PropertyDecorator =>
  applyDecorators(
    FieldRule<ListRepliesQueryDto>('conflicts', (_cursor, { sort }) => /^-?id$/.test(sort)),
    Max(LARGEST_ID),
    Min(1),
    IsInt(),
    WholeNumberParameter(),
    OptionalField(),
  );

/** Filters replies. */
export class ListRepliesQueryDto extends PageOrFileQueryDto {
  /** The status of the replies. The usage reports have statuses other than `failed`. */
  @IsIn(LISTED_STATUSES)
  status: ListedStatus = 'failed';

  /** Only replies to this user. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(LARGEST_ID)
  user_id?: number;

  /** Only replies of this agent. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(LARGEST_ID)
  agent_id?: number;

  /** Only failures of this provider. */
  @OptionalField()
  @IsString()
  @MaxLength(LONGEST_PROVIDER_NAME)
  provider?: string;

  /** Only failures of this model. */
  @OptionalField()
  @IsString()
  @MaxLength(LONGEST_MODEL_NAME)
  model?: string;

  /** Only failures with this error code, such as `PROVIDER_TIMEOUT`. */
  @OptionalField()
  @IsString()
  @MaxLength(64)
  code?: string;

  @TimeParameter('Replies that failed on or after this UTC day or instant.')
  from?: string;

  @TimeParameter('Replies that failed on or before this UTC day or instant.')
  to?: string;

  @SortParameter(FAILED_REPLY_SORT_FIELDS, '-id')
  sort: Sort<(typeof FAILED_REPLY_SORT_FIELDS)[number]> = '-id';

  /**
   * Returns the page after this failure, sorted by `id`, so that new failures do not shift it. `page` is then only
   * returned as its number.
   */
  @CursorParameter()
  @FieldRule<ListRepliesQueryDto>('conflicts', (_after, { before }) => before === undefined)
  after?: number;

  /** Returns the page before this failure, sorted by `id`. */
  @CursorParameter()
  before?: number;
}

/** A reply that failed. */
export class FailedReplyDto {
  /** The ID, which increases with each failure. @example 9 */
  id: number;

  /** The reply. @example 2 */
  message_id: number;

  /** The conversation; null: the client sent the conversation with the request. @example 1 */
  chat_id: number | null;

  /** The user of the request. @example 42 */
  user_id: number;

  /** The current name; null if the account is closed. @example "ada" */
  username: string | null;

  /** The agent of the reply. @example 1 */
  agent_id: number;

  /** The current name; null if the agent was deleted. @example "Assistant" */
  agent_name: string | null;

  /** The API key of the request; null: none. @example 7 */
  api_key_id: number | null;

  /** The provider that failed; null: no provider caused the failure. @example "openai" */
  provider: string | null;

  /** The model that failed; null: unknown. @example "gpt-4o-mini" */
  model: string | null;

  /** The error code. @example "PROVIDER_UNAVAILABLE" */
  code: string;

  /** HTTP status of the provider's response; null: no response. @example 503 */
  provider_status: number | null;

  /**
   * The provider's error message with secrets removed, or the connection error; null: none.
   * @example "The model is overloaded."
   */
  provider_message: string | null;

  /** When the reply failed. @example "2026-07-31T12:00:00.000Z" */
  failed_at: string;

  /** The trace of the reply in OpenTelemetry; null: not traced. @example "4bf92f3577b34da6a3ce929d0e0e4736" */
  trace_id: string | null;

  /** Whether the trace was selected for sending; null: not traced. @example true */
  trace_sampled: boolean | null;

  /** All its traces, if the reply continued in others. @example ["4bf92f3577b34da6a3ce929d0e0e4736", "0af7651916cd43dd8448eb211c80319c"] */
  trace_ids?: string[];

  /**
   * The address of the trace, from `TRACE_URL`; null: not traced, or no address is configured.
   * @example "https://tempo.example.com/trace/4bf92f3577b34da6a3ce929d0e0e4736"
   */
  trace_url: string | null;
}

/** The columns of the exported file. */
export const FAILED_REPLY_FIELDS = [
  'id',
  'failed_at',
  'message_id',
  'chat_id',
  'user_id',
  'username',
  'agent_id',
  'agent_name',
  'api_key_id',
  'provider',
  'model',
  'code',
  'provider_status',
  'provider_message',
] as const satisfies readonly (keyof FailedReplyDto)[];

/** The period of the report. */
export class ModelRepliesQueryDto {
  /** Hours before now. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(720)
  hours: number = 24;
}

/** The recent reliability of a model. */
export class ModelRepliesDto {
  /** The model. @example "gpt-4o-mini" */
  model: string;

  /** Ended replies, with any status. @example 200 */
  replies: number;

  /** Replies that failed. @example 9 */
  failed: number;

  /** The share of failed replies, from 0 to 1. @example 0.045 */
  @ApiProperty({ type: 'number', format: 'double' })
  failed_share: number;

  /** The median time to the first token, in milliseconds; null: no tokens. @example 420 */
  first_token_p50_ms: number | null;

  /** The 95th percentile of the time to the first token, in milliseconds; null: no tokens. @example 1350 */
  first_token_p95_ms: number | null;
}

/** Names by ID; deleted users and agents are missing. */
export interface NamesOfReplies {
  users: ReadonlyMap<number, string>;
  agents: ReadonlyMap<number, string>;
}

export function toFailedReplyDto(
  reply: FailedReply,
  { users, agents }: NamesOfReplies,
  traces: ShownTraces & Pick<FailedReplyDto, 'trace_url'>,
): FailedReplyDto {
  return {
    id: reply.id,
    message_id: reply.messageId,
    chat_id: reply.chatId === 0 ? null : reply.chatId,
    user_id: reply.userId,
    username: users.get(reply.userId) ?? null,
    agent_id: reply.agentId,
    agent_name: agents.get(reply.agentId) ?? null,
    api_key_id: reply.apiKeyId,
    provider: reply.provider,
    model: reply.model,
    code: reply.code,
    provider_status: reply.providerStatus,
    provider_message: reply.providerMessage,
    failed_at: reply.failedAt.toISOString(),
    ...traces,
  };
}

export function toModelRepliesDto({ model, replies, failed, p50, p95 }: ModelRecord): ModelRepliesDto {
  return {
    model,
    replies,
    failed,
    failed_share: Math.round((failed / replies) * 10_000) / 10_000,
    first_token_p50_ms: p50,
    first_token_p95_ms: p95,
  };
}
