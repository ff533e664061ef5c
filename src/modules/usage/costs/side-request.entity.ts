import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';

/**
 * A request to a model for a title or a trial that is under way. What it cost is written into the ledger when this row is
 * deleted, by its instance or, if that dies, by another.
 */
@Entity('side_requests')
@Index('ix_side_requests_user_id', ['userId'])
export class SideRequestEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The instance that asks the model. */
  @Column({ name: 'owner_id', type: 'varchar', length: 36 })
  ownerId: string;

  @Column({ type: 'varchar', length: 16 })
  kind: 'title' | 'trial';

  /** What is held for it in budgets has this name. */
  @Column({ name: 'hold_name', type: 'varchar', length: 40 })
  holdName: string;

  /** Who caused it. */
  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** Null: none. */
  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  /** 0: none. */
  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** 0: none. */
  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  /** The reply that it belongs to; null: none. */
  @Column({ name: 'message_id', type: 'int', nullable: true })
  messageId: number | null;

  /** Those that are asked first. */
  @Column({ type: 'varchar', length: LONGEST_PROVIDER_NAME })
  provider: string;

  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME })
  model: string;

  /** Estimated. */
  @Column({ name: 'prompt_tokens', type: 'int' })
  promptTokens: number;

  /** Requests before it, which failed: those that the provider took are in the ledger. */
  @Column({ name: 'failed_before', type: 'int', default: 0 })
  failedBefore: number;

  /** By the clock that instances share. */
  @TimestampColumn({ name: 'asked_at' })
  askedAt: Date;
}
