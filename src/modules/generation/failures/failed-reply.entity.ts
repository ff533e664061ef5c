import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';

/** The longest sentence of a provider, in UTF-16 units. */
export const LONGEST_PROVIDER_MESSAGE = 500;

/** A reply that failed, for administrators who look for the cause. It outlives neither its owner nor `FailedReplies.purge`. */
@Entity('failed_replies')
@Index('ix_failed_replies_user_id', ['userId'])
@Index('ix_failed_replies_failed_at', ['failedAt'])
export class FailedReplyEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'message_id', type: 'int' })
  messageId: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  /** 0: what a program sent whole, which no conversation has. */
  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  /** Null: no provider was the cause. */
  @Column({ type: 'varchar', length: LONGEST_PROVIDER_NAME, nullable: true })
  provider: string | null;

  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME, nullable: true })
  model: string | null;

  /** The code of our error. */
  @Column({ type: 'varchar', length: 64 })
  code: string;

  /** HTTP status of the provider's answer; null: there was none. */
  @Column({ name: 'provider_status', type: 'int', nullable: true })
  providerStatus: number | null;

  /** What the provider said, without keys; null: nothing. */
  @Column({ name: 'provider_message', type: 'varchar', length: LONGEST_PROVIDER_MESSAGE, nullable: true })
  providerMessage: string | null;

  @TimestampColumn({ name: 'failed_at' })
  failedAt: Date;
}
