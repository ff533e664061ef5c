import { Entity, Index, PrimaryColumn } from 'typeorm';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import { UsageSumsEntity } from '../sums/usage-sums.entity';

/**
 * The sums of the ledger by day, user, agent and model; each message updates them. A row belongs to one user, so only
 * messages of the same user wait for each other.
 */
@Entity('usage_rollups')
@Index('ix_usage_rollups_user_id', ['userId', 'day'])
export class UsageRollupEntity extends UsageSumsEntity {
  /** UTC day, in days since 1970-01-01. */
  @PrimaryColumn({ type: 'int' })
  day: number;

  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  @PrimaryColumn({ name: 'agent_id', type: 'int' })
  agentId: number;

  /** Empty for chats and for users' messages, which no model made. */
  @PrimaryColumn({ type: 'varchar', length: LONGEST_MODEL_NAME })
  model: string;
}
