import { Column } from 'typeorm';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { type TokenUsageDto, toTokenUsageDto } from '../../../common/token-usage.dto';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import type { StoredAttempt } from './stored-attempt';
import type { StoredPart } from './stored-parts';

/**
 * `stopped`: the user stopped it. `interrupted`: the service went down while the reply was written. `requires_action`: it waits
 * for a person, and goes on then.
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

/** Why a reply failed, as stored. The sentence for people is made when the failure is shown, in the reader's language. */
export interface ReplyFailure {
  code: string;
  /** Whether sending again may help. */
  retryable: boolean;
  /** Seconds to wait before sending again, if the provider named them. */
  retry_after?: number;
  /** Facts for the sentence, such as the limit that was exceeded. */
  details?: Record<string, string | number>;
}

interface StoredUsage extends TokenUsageDto {
  /** Absent: none, or an older reply. */
  cache_write_tokens?: number;
}

/** Stored as JSON with the field names of the API, because the first release stored it so. */
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
 * The columns that every table with replies has: what is flushed while a reply is written, and how it ended. No column has
 * a default, because TypeORM would read the row again after each insert.
 */
export abstract class ReplyRow {
  /** Exactly what was generated. For a running reply: what has been flushed. */
  @LongTextColumn()
  content: string;

  /** What the model thought; not part of the text. Null: nothing. For a running reply: what has been flushed. */
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

  /** The instance that writes the reply; null once it has ended. */
  @Column({ name: 'owner_id', type: 'varchar', length: 36, nullable: true })
  ownerId: string | null;

  /** The API key that the reply was asked for with; null: none. */
  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  /** When the instance that writes the reply was asked to stop it. */
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

  /** All its parts in their order, when it is more than text; else null. `content` has their text. */
  @JsonColumn({ nullable: true })
  parts: StoredPart[] | null;

  /** The bounds of the steps of a reply whose events have numbers (`encodeSteps`); null for others. */
  @LongTextColumn({ nullable: true })
  steps: string | null;

  /** The requests to models that it took, in their order; null for what is no reply, for older ones, and while it is written. */
  @JsonColumn({ nullable: true })
  trace: StoredAttempt[] | null;
}

/** A reply in its table. Ids of replies are never the same in two tables. */
export type StoredReply = ReplyRow & {
  id: number;
  /** Its conversation; 0: none. */
  readonly chatId: number;
  /** The question that it answers. */
  readonly parentId: number | null;
};
