import { Entity, Index, PrimaryColumn } from 'typeorm';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';
import { UsageSumsEntity } from '../reports/usage-sums.entity';

/**
 * Sums of the cost ledger by day, user, provider and model. Its messages are replies only, because users' messages have
 * no provider.
 */
@Entity('usage_provider_days')
@Index('ix_usage_provider_days_user_id', ['userId', 'day'])
export class UsageProviderDayEntity extends UsageSumsEntity {
  /** UTC day, in days since 1970-01-01. */
  @PrimaryColumn({ type: 'int' })
  day: number;

  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  @PrimaryColumn({ type: 'varchar', length: LONGEST_PROVIDER_NAME })
  provider: string;

  /** The requested model. */
  @PrimaryColumn({ type: 'varchar', length: LONGEST_MODEL_NAME })
  model: string;
}
