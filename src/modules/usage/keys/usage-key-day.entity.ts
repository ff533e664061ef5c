import { Entity, Index, PrimaryColumn } from 'typeorm';
import { UsageSumsEntity } from '../reports/usage-sums.entity';

/**
 * Usage of an API key on a day. The row is updated immediately, because the key's own limit needs an exact value. Each
 * row belongs to one user, so users never wait for each other.
 */
@Entity('usage_key_days')
@Index('ix_usage_key_days_api_key_id', ['apiKeyId', 'day'])
export class UsageKeyDayEntity extends UsageSumsEntity {
  /** UTC day, in days since 1970-01-01. */
  @PrimaryColumn({ type: 'int' })
  day: number;

  /** The owner of the key. */
  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  @PrimaryColumn({ name: 'api_key_id', type: 'int' })
  apiKeyId: number;
}
