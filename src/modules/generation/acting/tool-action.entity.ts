import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';
import type { NeededSignIn, ToolQuestion } from '../../tool/tool.api';

/**
 * `approve`: whether a call may be made. `unknown`: what became of one. Of servers of tools: `input`, they ask something; `connect`,
 * their user is to sign in.
 */
export const ACTION_KINDS = ['approve', 'unknown', 'input', 'connect'] as const;

export type ActionKind = (typeof ACTION_KINDS)[number];

export const ACTION_STATES = ['open', 'decided', 'expired', 'cancelled'] as const;

export type ActionState = (typeof ACTION_STATES)[number];

export const DECISIONS = ['approve', 'deny', 'retry', 'done', 'failed'] as const;

export type Decision = (typeof DECISIONS)[number];

/**
 * What a server wants: an answer, or to be connected with, and then which scopes that the user has not allowed yet, and where the
 * user signs in; absent: at the server.
 */
export type ActionQuestion = ToolQuestion | { scopes: string[]; host: string; signIn?: NeededSignIn };

/** What a person is asked about a call. What it asks never changes. */
@Entity('tool_actions')
@Index('ix_tool_actions_message_id', ['messageId'])
@Index('ix_tool_actions_call_id', ['callId'])
@Index('ix_tool_actions_chat_id', ['chatId', 'state'])
@Index('ix_tool_actions_user_id', ['userId', 'state'])
@Index('ix_tool_actions_state', ['state', 'expiresAt'])
@Index('ix_tool_actions_approver', ['approver', 'state'])
export class ToolActionEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'call_id', type: 'int' })
  callId: number;

  @Column({ name: 'message_id', type: 'int' })
  messageId: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** Whose run it is. */
  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ type: 'varchar', length: 16 })
  kind: ActionKind;

  /** `user`, `admin`, or `group:` and an id. */
  @Column({ type: 'varchar', length: 16 })
  approver: string;

  @Column({ type: 'varchar', length: 16 })
  state: ActionState;

  @Column({ type: 'varchar', length: 16, nullable: true })
  decision: Decision | null;

  @Column({ name: 'decided_by', type: 'int', nullable: true })
  decidedBy: number | null;

  @TimestampColumn({ name: 'decided_at', nullable: true })
  decidedAt: Date | null;

  /** Of kinds `input` and `connect`; null: erased, or another kind. */
  @JsonColumn({ nullable: true })
  question: ActionQuestion | null;

  /** The answer, encrypted, until it is delivered. */
  @LongTextColumn({ nullable: true })
  answer: string | null;

  /** Tells the same answer from another one, once it is erased. */
  @Column({ name: 'answer_hash', type: 'varchar', length: 64, nullable: true })
  answerHash: string | null;

  /** Arguments in the place of those that were asked about, which the call then has; null: those. */
  @JsonColumn({ nullable: true })
  edited: unknown;

  /** Why, in the words of who decided. */
  @LongTextColumn({ nullable: true })
  reason: string | null;

  /** What a person says that the call returned. */
  @LongTextColumn({ nullable: true })
  text: string | null;

  /** UTF-16 units of the reply's text when it was decided: what its readers had. */
  @Column({ name: 'told_text', type: 'int', nullable: true })
  toldText: number | null;

  /** Calls and results of the reply that they were told by then. */
  @Column({ name: 'told_news', type: 'int', nullable: true })
  toldNews: number | null;

  /** Null: it does not expire. */
  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
