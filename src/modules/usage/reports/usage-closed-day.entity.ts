import { Entity, PrimaryColumn } from 'typeorm';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import { UsageSumsEntity } from './usage-sums.entity';

/** Sums of a closed day over all users. Reports about long periods read them. Each row is written once. */
@Entity('usage_closed_days')
export class UsageClosedDayEntity extends UsageSumsEntity {
  /** UTC day, in days since 1970-01-01. */
  @PrimaryColumn({ type: 'int' })
  day: number;

  @PrimaryColumn({ name: 'agent_id', type: 'int' })
  agentId: number;

  /** Empty for chats and for users' messages. */
  @PrimaryColumn({ type: 'varchar', length: LONGEST_MODEL_NAME })
  model: string;
}
