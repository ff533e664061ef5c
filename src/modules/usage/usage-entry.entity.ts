import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/columns';
import { LONGEST_MODEL_NAME } from '../../integrations/llm/port/provider-definition';

/**
 * The ledger: one row for each stored message, written together with the message. All message counters can be
 * recalculated from it until the account is erased. After that, only the sums remain. The key is the id of the message,
 * so no message counts twice.
 */
@Entity('usage_entries')
@Index('ix_usage_entries_user_id', ['userId'])
@Index('ix_usage_entries_created_at', ['createdAt'])
// Only SQLite uses the condition. It needs `unsummed = 1` in the query text, not as a parameter.
@Index('ix_usage_entries_unsummed', ['unsummed', 'userId'], { where: 'unsummed = 1' })
export class UsageEntryEntity {
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  messageId: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** The API key of the request. Null if none was used. */
  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  @Column({ type: 'varchar', length: 16 })
  role: 'user' | 'assistant' | 'system' | 'compaction';

  /** The model that answered, or failed to. Null for all roles except replies. */
  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME, nullable: true })
  model: string | null;

  @Column({ name: 'prompt_tokens', type: 'int' })
  promptTokens: number;

  @Column({ name: 'completion_tokens', type: 'int' })
  completionTokens: number;

  /** Sum of both. */
  @Column({ type: 'int' })
  tokens: number;

  /** The status of the reply. Null for all roles except replies. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  status: string | null;

  /** Milliseconds to the reply's first token. Null if there was none. */
  @Column({ name: 'first_token_ms', type: 'int', nullable: true })
  firstTokenMs: number | null;

  /** UTC day that the message counts for, in days since 1970-01-01. */
  @Column({ type: 'int' })
  day: number;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** 1 until `UsageFolding` adds the row to the sums, then null. No other column ever changes. */
  @Column({ type: 'int', nullable: true })
  unsummed: 1 | null;
}
