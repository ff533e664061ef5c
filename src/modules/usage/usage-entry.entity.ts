import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/columns';
import { LONGEST_MODEL_NAME } from '../../integrations/llm/port/provider-definition';

/**
 * The ledger: one row for each stored message, written together with the message. All counters of messages can be
 * calculated from it again until the account is erased; after that only the sums are left. The key is the id of the
 * message, so no message counts twice.
 */
@Entity('usage_entries')
@Index('ix_usage_entries_user_id', ['userId'])
// The condition counts on SQLite only; its queries must have `unsummed = 1` as text and not as a parameter.
@Index('ix_usage_entries_unsummed', ['unsummed', 'userId'], { where: 'unsummed = 1' })
export class UsageEntryEntity {
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  messageId: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** The API key that it was sent or asked for with; null: none. */
  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  @Column({ type: 'varchar', length: 16 })
  role: 'user' | 'assistant' | 'system' | 'compaction';

  /** The model that answered, or failed to; null for all but replies. */
  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME, nullable: true })
  model: string | null;

  @Column({ name: 'prompt_tokens', type: 'int' })
  promptTokens: number;

  @Column({ name: 'completion_tokens', type: 'int' })
  completionTokens: number;

  /** Sum of both. */
  @Column({ type: 'int' })
  tokens: number;

  /** How the reply ended; null for all but replies. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  status: string | null;

  /** Milliseconds to the reply's first token; null when there was none. */
  @Column({ name: 'first_token_ms', type: 'int', nullable: true })
  firstTokenMs: number | null;

  /** UTC day that the message counts for, in days since 1970-01-01. */
  @Column({ type: 'int' })
  day: number;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** 1 until `UsageFolding` adds the row to the sums, then null. Nothing else of a row ever changes. */
  @Column({ type: 'int', nullable: true })
  unsummed: 1 | null;
}
