import { Entity, PrimaryColumn } from 'typeorm';
import { UsageSumsEntity } from './usage-sums.entity';

/** Sums of a month's closed days by user. Reports by user read them for whole months. */
@Entity('usage_user_months')
export class UsageUserMonthEntity extends UsageSumsEntity {
  /** UTC month: twelve times the year, plus 0 for January to 11 for December. */
  @PrimaryColumn({ type: 'int' })
  month: number;

  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;
}
