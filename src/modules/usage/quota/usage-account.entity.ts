import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { BigIntegerColumn } from '../../../database/columns';

/**
 * A user's counters in one row: the totals, and one day's usage of the quotas. The first message after midnight moves
 * the row to the new day. Until then, the row has the counters of an earlier day, which no longer count.
 */
@Entity('usage_accounts')
@Index('ix_usage_accounts_day', ['day'])
export class UsageAccountEntity {
  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  /** Excludes chats that wait for `UsageFolding`, so read it through `UsageAccountQuery`. */
  @Column({ name: 'total_chats', type: 'int', default: 0 })
  totalChats: number;

  @BigIntegerColumn({ name: 'total_messages', default: 0 })
  totalMessages: number;

  @BigIntegerColumn({ name: 'total_tokens', default: 0 })
  totalTokens: number;

  /** UTC day of the user's last message and of the two counters below, in days since 1970-01-01. */
  @Column({ type: 'int', default: 0 })
  day: number;

  /** Messages that the user sent, except those returned to the quota. */
  @Column({ name: 'day_messages', type: 'int', default: 0 })
  dayMessages: number;

  @BigIntegerColumn({ name: 'day_tokens', default: 0 })
  dayTokens: number;

  /** Bytes that the user currently stores, see `StorageService`. */
  @BigIntegerColumn({ name: 'stored_bytes', default: 0 })
  storedBytes: number;

  /** Last day on which the message quota was reported as exceeded. */
  @Column({ name: 'messages_alert_day', type: 'int', default: 0 })
  messagesAlertDay: number;

  /** Last day on which the token quota was reported as exceeded. */
  @Column({ name: 'tokens_alert_day', type: 'int', default: 0 })
  tokensAlertDay: number;
}
