import { Column } from 'typeorm';
import { BigIntegerColumn } from '../../../database/columns';
import { ExactIntegerColumn } from '../../../database/exact-integer-column';

/** Sums of the ledger that are the same for every grouping. */
export abstract class UsageSumsEntity {
  /** Chats created. */
  @Column({ type: 'int', default: 0 })
  chats: number;

  /** Stored messages, both users' messages and replies. */
  @Column({ type: 'int', default: 0 })
  messages: number;

  @Column({ name: 'user_messages', type: 'int', default: 0 })
  userMessages: number;

  @BigIntegerColumn({ name: 'prompt_tokens', default: 0 })
  promptTokens: number;

  @BigIntegerColumn({ name: 'completion_tokens', default: 0 })
  completionTokens: number;

  /** Sum of both. */
  @BigIntegerColumn({ default: 0 })
  tokens: number;

  @Column({ name: 'failed_replies', type: 'int', default: 0 })
  failedReplies: number;

  /** Model requests with a known cost. */
  @BigIntegerColumn({ default: 0 })
  priced: number;

  /** Model requests without a price. */
  @BigIntegerColumn({ default: 0 })
  unpriced: number;

  /** Sum of the whole units of costs. */
  @ExactIntegerColumn({ name: 'cost_units', default: 0 })
  costUnits: bigint;

  /** Sum of the millionths, which may exceed a unit. */
  @ExactIntegerColumn({ name: 'cost_micros', default: 0 })
  costMicros: bigint;

  /** Sum of the millionths of a millionth. */
  @ExactIntegerColumn({ name: 'cost_picos', default: 0 })
  costPicos: bigint;
}
