import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import { ExactIntegerColumn } from '../../../database/exact-integer-column';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';

/** The purpose of a model request. `guard`: not a model, but a service that checked a text. */
export const COST_KINDS = ['reply', 'title', 'compaction', 'trial', 'embedding', 'guard'] as const;
export type CostKind = (typeof COST_KINDS)[number];

/** SQL: whether a row of the ledger was charged to the group of `groupPattern`. */
export const IS_IN_GROUP = "REPLACE(REPLACE(group_ids, '[', ','), ']', ',') LIKE ?";

export function groupPattern(groupId: number): string {
  return `%,${groupId},%`;
}

/**
 * The cost ledger: one row for each request that a provider accepted, whether or not it produced a reply. All sums are
 * calculated from it. Only `POST /admin/prices/recompute` ever changes the cost of a row.
 */
@Entity('usage_costs')
@Index('ix_usage_costs_user_id', ['userId'])
@Index('ix_usage_costs_created_at', ['createdAt'])
// Only SQLite uses the condition. It needs `unsummed = 1` in the query text, not as a parameter.
@Index('ix_usage_costs_unsummed', ['unsummed', 'userId'], { where: 'unsummed = 1' })
export class UsageCostEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The user who caused the request; 0 if the account is erased. */
  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** The user's plan at admission. Null if unknown, as in rows from before it was recorded. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  plan: string | null;

  /** The user's groups at admission. Null in the same cases as `plan`. */
  @JsonColumn({ name: 'group_ids', nullable: true })
  groupIds: readonly number[] | null;

  /** The API key of the request. Null if none was used. */
  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  /** 0 if there is none. */
  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** 0 if there is none. */
  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  /** Id of the reply. Null if there is none. */
  @Column({ name: 'message_id', type: 'int', nullable: true })
  messageId: number | null;

  /** Number of the reply's round, from 1. */
  @Column({ type: 'int' })
  round: number;

  /** Number of the request within its round, from 1. Rejected requests count too but have no row. */
  @Column({ type: 'int' })
  attempt: number;

  @Column({ type: 'varchar', length: 16 })
  kind: CostKind;

  @Column({ type: 'varchar', length: LONGEST_PROVIDER_NAME })
  provider: string;

  /** The requested model, whose price applies. */
  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME })
  model: string;

  /** The model's name in the response. Null if it was not sent. */
  @Column({ name: 'model_answered', type: 'varchar', length: LONGEST_MODEL_NAME, nullable: true })
  modelAnswered: string | null;

  /** The whole prompt, including tokens read from and written to the cache. */
  @Column({ name: 'prompt_tokens', type: 'int' })
  promptTokens: number;

  /** Includes reasoning tokens. */
  @Column({ name: 'completion_tokens', type: 'int' })
  completionTokens: number;

  @Column({ name: 'cached_tokens', type: 'int' })
  cachedTokens: number;

  @Column({ name: 'cache_write_tokens', type: 'int' })
  cacheWriteTokens: number;

  /** The part of `cacheWriteTokens` that the provider keeps for an hour. */
  @Column({ name: 'cache_write_1h_tokens', type: 'int', default: 0 })
  cacheWrite1hTokens: number;

  @Column({ name: 'reasoning_tokens', type: 'int' })
  reasoningTokens: number;

  /** Number of images in the prompt. */
  @Column({ type: 'int' })
  images: number;

  /** Number of web searches that the provider made. */
  @Column({ name: 'web_searches', type: 'int', default: 0 })
  webSearches: number;

  /** Answered requests: 1, or 0 for a failed request without cost. */
  @Column({ type: 'int' })
  requests: number;

  /**
   * Whether the request delivered the result, so that its tokens also count as the user's usage. A request that was
   * abandoned for a fallback only has a cost.
   */
  @Column({ name: 'is_counted', type: 'boolean' })
  isCounted: boolean;

  /** Whether the reply that the request delivered failed. */
  @Column({ name: 'is_failed', type: 'boolean' })
  isFailed: boolean;

  /** Whether any part of the usage is an estimate, because the provider did not report it. */
  @Column({ name: 'is_estimated', type: 'boolean' })
  isEstimated: boolean;

  /** Null if there is no price, or if none is needed. */
  @Column({ name: 'price_id', type: 'int', nullable: true })
  priceId: number | null;

  /** Whole units of the currency. Null, like the other two columns, if there was no price. */
  @ExactIntegerColumn({ name: 'cost_units', nullable: true })
  costUnits: bigint | null;

  /** Millionths of a unit, less than one million. */
  @ExactIntegerColumn({ name: 'cost_micros', nullable: true })
  costMicros: bigint | null;

  /** Millionths of a millionth, less than one million. */
  @ExactIntegerColumn({ name: 'cost_picos', nullable: true })
  costPicos: bigint | null;

  /** UTC day that the cost counts for, in days since 1970-01-01: the day on which the reply or side request ended. */
  @Column({ type: 'int' })
  day: number;

  /** When the request started. The price that was valid then applies. */
  @TimestampColumn({ name: 'asked_at' })
  askedAt: Date;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** 1 until `UsageFolding` adds the row to the sums, then null. */
  @Column({ type: 'int', nullable: true })
  unsummed: 1 | null;
}
