import { Column } from 'typeorm';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { type TokenUsageDto, toTokenUsageDto } from '../../../common/token-usage.dto';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import type { StoredPart } from './stored-parts';
import type { StoredRequest } from './stored-request';

/**
 * `stopped`: the user stopped it. `interrupted`: the service shut down while the reply was written. `requires_action`:
 * it waits for a person and continues then.
 */
export const REPLY_STATUSES = [
  'streaming',
  'requires_action',
  'completed',
  'stopped',
  'interrupted',
  'failed',
] as const;

export type ReplyStatus = (typeof REPLY_STATUSES)[number];

export const FINISH_REASONS = [
  'stop',
  'length',
  'content_filter',
  'tool_calls',
  'tool_limit',
  'action_expired',
  'cancelled',
  'error',
] as const;

export type FinishReason = (typeof FINISH_REASONS)[number];

/** Why a reply failed, as stored. The message is written when the failure is shown, in the reader's language. */
export interface ReplyFailure {
  code: string;
  /** Whether a new attempt may succeed. */
  retryable: boolean;
  /** Seconds to wait before the next attempt, if the provider named them. */
  retry_after?: number;
  /** Values for the message, such as the limit that was exceeded. */
  details?: Record<string, string | number>;
}

interface StoredUsage extends TokenUsageDto {
  /** Absent: none, or an older reply. */
  cache_write_tokens?: number;
}

/** JSON with the field names of the API, because the first release stored it so. */
const storedUsage = {
  to: (usage: ReplyTokenUsage | null | undefined): string | null | undefined =>
    usage && JSON.stringify(toStored(usage)),
  from: (json: string | null): ReplyTokenUsage | null =>
    json === null ? null : fromStored(JSON.parse(json) as StoredUsage),
};

function toStored(usage: ReplyTokenUsage): StoredUsage {
  const { cacheWrite = 0 } = usage;
  return { ...toTokenUsageDto(usage), ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }) };
}

function fromStored(stored: StoredUsage): ReplyTokenUsage {
  return {
    prompt: stored.prompt_tokens,
    completion: stored.completion_tokens,
    total: stored.total_tokens,
    cached: stored.cached_tokens,
    ...(stored.cache_write_tokens !== undefined && { cacheWrite: stored.cache_write_tokens }),
    reasoning: stored.reasoning_tokens,
    isEstimated: stored.is_estimated,
    model: stored.model,
    ...(stored.cost !== undefined && { cost: stored.cost, currency: stored.currency }),
  };
}

/**
 * The columns of every table with replies: the flushed text of a running reply, and how it ended. No column has a
 * default, because TypeORM would read the row again after each insert.
 */
export abstract class ReplyRow {
  /** The generated text. For a running reply: the flushed part. */
  @LongTextColumn()
  content: string;

  /** The model's reasoning, which is not part of the text. Null: none. For a running reply: the flushed part. */
  @LongTextColumn({ nullable: true })
  reasoning: string | null;

  @Column({ type: 'varchar', length: 16 })
  status: ReplyStatus;

  @Column({ name: 'finish_reason', type: 'varchar', length: 16, nullable: true })
  finishReason: FinishReason | null;

  /** The model that answered. */
  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME, nullable: true })
  model: string | null;

  @LongTextColumn({ name: 'token_usage', nullable: true, transformer: storedUsage })
  tokenUsage: ReplyTokenUsage | null;

  @JsonColumn({ nullable: true })
  failure: ReplyFailure | null;

  /** The instance that writes the reply. Null after the end. */
  @Column({ name: 'owner_id', type: 'varchar', length: 36, nullable: true })
  ownerId: string | null;

  /** The API key of the request. Null: none. */
  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  /** When a stop was requested from the instance that writes the reply. */
  @TimestampColumn({ name: 'stop_requested_at', nullable: true })
  stopRequestedAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;

  @TimestampColumn({ name: 'completed_at', nullable: true })
  completedAt: Date | null;

  /** Milliseconds from the start of the reply to its first token of text or reasoning. */
  @Column({ name: 'first_token_ms', type: 'int', nullable: true })
  firstTokenMs: number | null;

  /** Milliseconds from the start of the reply to its end. */
  @Column({ name: 'duration_ms', type: 'int', nullable: true })
  durationMs: number | null;

  /** All parts in order, if the reply is more than text. Otherwise null. `content` has their text. */
  @JsonColumn({ nullable: true })
  parts: StoredPart[] | null;

  /** The encoded steps (`encodeSteps`) of a reply whose stream events are numbered. Null for others. */
  @LongTextColumn({ nullable: true })
  steps: string | null;

  /** The requests to models, in order. Null for rows that are no replies, for older replies and during generation. */
  @JsonColumn({ nullable: true })
  trace: StoredRequest[] | null;

  /**
   * The contexts of its spans (`traceparent`): that of its start, then those of its continuations. Null or absent
   * without tracing. It is only read by name, so that the statements without tracing stay the same.
   */
  @JsonColumn({ nullable: true, select: false })
  spans?: string[] | null;
}

/** A reply in its table. Ids of replies are unique across tables. */
export type StoredReply = ReplyRow & {
  id: number;
  /** Its conversation. 0: none. */
  readonly chatId: number;
  /** The question that it answers. */
  readonly parentId: number | null;
};
