import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { BigIntegerColumn } from '../../../database/columns';

/**
 * A user's running counters in one row: the totals, and what counts against the quotas of one day. The day moves on
 * with the first message after midnight. Until then the row has the counters of an earlier day, which do not count any
 * more.
 */
@Entity('usage_accounts')
@Index('ix_usage_accounts_day', ['day'])
export class UsageAccountEntity {
  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  /** Without those that wait for `UsageFolding`: read it by `UsageAccountQuery`. */
  @Column({ name: 'total_chats', type: 'int', default: 0 })
  totalChats: number;

  @BigIntegerColumn({ name: 'total_messages', default: 0 })
  totalMessages: number;

  @BigIntegerColumn({ name: 'total_tokens', default: 0 })
  totalTokens: number;

  /** UTC day of the user's last message and of the two counters below, in days since 1970-01-01. */
  @Column({ type: 'int', default: 0 })
  day: number;

  /** Messages that the user sent and that were not given back. */
  @Column({ name: 'day_messages', type: 'int', default: 0 })
  dayMessages: number;

  @BigIntegerColumn({ name: 'day_tokens', default: 0 })
  dayTokens: number;

  /** Bytes that the user keeps now: see `StorageService`. */
  @BigIntegerColumn({ name: 'stored_bytes', default: 0 })
  storedBytes: number;

  /** Last day on which the messages' quota was reported as exceeded. */
  @Column({ name: 'messages_alert_day', type: 'int', default: 0 })
  messagesAlertDay: number;

  /** Last day on which the tokens' quota was reported as exceeded. */
  @Column({ name: 'tokens_alert_day', type: 'int', default: 0 })
  tokensAlertDay: number;
}
