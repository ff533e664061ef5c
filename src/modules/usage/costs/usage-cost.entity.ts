import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import { ExactIntegerColumn } from '../../../database/exact-integer-column';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';

/** What a request to a model was for. */
export const COST_KINDS = ['reply', 'title', 'compaction', 'trial', 'embedding'] as const;
export type CostKind = (typeof COST_KINDS)[number];

/** SQL: whether a row of the ledger was charged to the group of `groupPattern`. */
export const IS_IN_GROUP = "REPLACE(REPLACE(group_ids, '[', ','), ']', ',') LIKE ?";

export function groupPattern(groupId: number): string {
  return `%,${groupId},%`;
}

/**
 * The ledger of costs: one row for each request that a provider took, whether it became a reply or not. It is written
 * with what it was for. Sums are made of it; only `POST /admin/prices/recompute` ever changes what a row cost.
 */
@Entity('usage_costs')
@Index('ix_usage_costs_user_id', ['userId'])
@Index('ix_usage_costs_created_at', ['createdAt'])
// The condition counts on SQLite only; its queries must have `unsummed = 1` as text and not as a parameter.
@Index('ix_usage_costs_unsummed', ['unsummed', 'userId'], { where: 'unsummed = 1' })
export class UsageCostEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** Who caused it; 0: a user whose account is erased. */
  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** The user's plan at admission; null: not known, as of requests before it was kept. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  plan: string | null;

  /** The user's groups at admission; null as `plan`. */
  @JsonColumn({ name: 'group_ids', nullable: true })
  groupIds: readonly number[] | null;

  /** The API key that it was asked for with; null: none. */
  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  /** 0: none. */
  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** 0: none. */
  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  /** The reply that it was for; null: none. */
  @Column({ name: 'message_id', type: 'int', nullable: true })
  messageId: number | null;

  /** Counts the times that a reply went on after calls of tools, from 1. */
  @Column({ type: 'int' })
  round: number;

  /** Counts the requests of a round, from 1, also those that were refused and have no row. */
  @Column({ type: 'int' })
  attempt: number;

  @Column({ type: 'varchar', length: 16 })
  kind: CostKind;

  @Column({ type: 'varchar', length: LONGEST_PROVIDER_NAME })
  provider: string;

  /** As it was asked. The price is that of this name. */
  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME })
  model: string;

  /** By its own name; null: it has not said it. */
  @Column({ name: 'model_answered', type: 'varchar', length: LONGEST_MODEL_NAME, nullable: true })
  modelAnswered: string | null;

  /** All of the prompt: cached and written tokens included. */
  @Column({ name: 'prompt_tokens', type: 'int' })
  promptTokens: number;

  /** Reasoning included. */
  @Column({ name: 'completion_tokens', type: 'int' })
  completionTokens: number;

  @Column({ name: 'cached_tokens', type: 'int' })
  cachedTokens: number;

  @Column({ name: 'cache_write_tokens', type: 'int' })
  cacheWriteTokens: number;

  @Column({ name: 'reasoning_tokens', type: 'int' })
  reasoningTokens: number;

  /** Images of the prompt. */
  @Column({ type: 'int' })
  images: number;

  /** Requests that the provider answered: 1, or 0 for a failure that cost nothing. */
  @Column({ type: 'int' })
  requests: number;

  /** Whether it gave what was wanted, so that its tokens are the user's usage too. What was left for another costs only. */
  @Column({ name: 'is_counted', type: 'boolean' })
  isCounted: boolean;

  /** Whether the reply failed that it gave. */
  @Column({ name: 'is_failed', type: 'boolean' })
  isFailed: boolean;

  /** Whether anything of it was counted here, because the provider had not told it. */
  @Column({ name: 'is_estimated', type: 'boolean' })
  isEstimated: boolean;

  /** Null: no price, or none is needed. */
  @Column({ name: 'price_id', type: 'int', nullable: true })
  priceId: number | null;

  /** Whole units of the currency; null with the other two: there was no price. */
  @ExactIntegerColumn({ name: 'cost_units', nullable: true })
  costUnits: bigint | null;

  /** Millionths of a unit, below a million. */
  @ExactIntegerColumn({ name: 'cost_micros', nullable: true })
  costMicros: bigint | null;

  /** Millionths of those, below a million. */
  @ExactIntegerColumn({ name: 'cost_picos', nullable: true })
  costPicos: bigint | null;

  /** UTC day that it counts for, in days since 1970-01-01: that of the end of what it was for. */
  @Column({ type: 'int' })
  day: number;

  /** When the request began: the price is the one that was valid then. */
  @TimestampColumn({ name: 'asked_at' })
  askedAt: Date;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** 1 until `UsageFolding` adds the row to the sums, then null. */
  @Column({ type: 'int', nullable: true })
  unsummed: 1 | null;
}
