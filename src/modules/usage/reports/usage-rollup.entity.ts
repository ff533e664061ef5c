import { Entity, Index, PrimaryColumn } from 'typeorm';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import { UsageSumsEntity } from './usage-sums.entity';

/**
 * Sums of the ledger by day, user, agent and model. `UsageFolding` updates them. A row belongs to one user, so users
 * never wait for each other.
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

  /** Empty for chats and for users' messages, which have no model. */
  @PrimaryColumn({ type: 'varchar', length: LONGEST_MODEL_NAME })
  model: string;
}
