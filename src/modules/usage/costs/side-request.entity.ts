import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';

/**
 * A running model request for a title, a trial or embeddings. Deleting the row records its cost in the ledger. Its instance does
 * that, or another one if that instance dies.
 */
@Entity('side_requests')
@Index('ix_side_requests_user_id', ['userId'])
export class SideRequestEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The instance that makes the request. */
  @Column({ name: 'owner_id', type: 'varchar', length: 36 })
  ownerId: string;

  @Column({ type: 'varchar', length: 16 })
  kind: 'title' | 'trial' | 'embedding';

  /** Name of the request's hold in budgets. */
  @Column({ name: 'hold_name', type: 'varchar', length: 40 })
  holdName: string;

  /** The user who caused the request. */
  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** Null if no key was used. */
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

  /** The provider that is called first. */
  @Column({ type: 'varchar', length: LONGEST_PROVIDER_NAME })
  provider: string;

  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME })
  model: string;

  /** An estimate. */
  @Column({ name: 'prompt_tokens', type: 'int' })
  promptTokens: number;

  /** Number of earlier failed requests. Those that the provider accepted are in the ledger. */
  @Column({ name: 'failed_before', type: 'int', default: 0 })
  failedBefore: number;

  /** By the clock that all instances share. */
  @TimestampColumn({ name: 'asked_at' })
  askedAt: Date;
}
