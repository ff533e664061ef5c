import { Column } from 'typeorm';
import { BigIntegerColumn } from '../../../database/columns';

/** The sums of the ledger that are the same for every grouping. */
export abstract class UsageSumsEntity {
  /** Chats created. */
  @Column({ type: 'int', default: 0 })
  chats: number;

  /** Stored messages, users' and replies. */
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
}
