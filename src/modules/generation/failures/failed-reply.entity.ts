import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';

/** Maximum length of a provider's message, in UTF-16 code units. */
export const LONGEST_PROVIDER_MESSAGE = 500;

/**
 * A reply that failed, for administrators who look for the cause. Deleted with its user or by `FailedReplies.purge`.
 */
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

  /** 0: a request that brought its whole context and has no conversation. */
  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  /** Null: no provider was the cause. */
  @Column({ type: 'varchar', length: LONGEST_PROVIDER_NAME, nullable: true })
  provider: string | null;

  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME, nullable: true })
  model: string | null;

  /** The error code of the service. */
  @Column({ type: 'varchar', length: 64 })
  code: string;

  /** HTTP status of the provider's response. Null: none. */
  @Column({ name: 'provider_status', type: 'int', nullable: true })
  providerStatus: number | null;

  /** The provider's message, without keys. Null: none. */
  @Column({ name: 'provider_message', type: 'varchar', length: LONGEST_PROVIDER_MESSAGE, nullable: true })
  providerMessage: string | null;

  /** See `ReplyRow`. */
  @JsonColumn({ nullable: true })
  spans?: string[] | null;

  @TimestampColumn({ name: 'failed_at' })
  failedAt: Date;
}
