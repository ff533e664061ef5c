import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';
import type { NeededSignIn, ToolQuestion } from '../../tool/tool.api';

/**
 * `approve`: whether a call may be made. `unknown`: the outcome of a call. `input`: an MCP server asks a question.
 * `connect`: the user must sign in to an MCP server.
 */
export const ACTION_KINDS = ['approve', 'unknown', 'input', 'connect'] as const;

export type ActionKind = (typeof ACTION_KINDS)[number];

export const ACTION_STATES = ['open', 'decided', 'expired', 'cancelled'] as const;

export type ActionState = (typeof ACTION_STATES)[number];

export const DECISIONS = ['approve', 'deny', 'retry', 'done', 'failed'] as const;

export type Decision = (typeof DECISIONS)[number];

/**
 * What an MCP server needs: an answer, or a connection. For a connection: the scopes that the user has not granted yet,
 * and where the user signs in. `signIn` absent: at the MCP server.
 */
export type ActionQuestion = ToolQuestion | { scopes: string[]; host: string; signIn?: NeededSignIn };

/** A decision about a tool call that a person must make. The question never changes. */
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

  /** The user whose reply it is. */
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

  /** Set for the kinds `input` and `connect`. Null: another kind, or erased. */
  @JsonColumn({ nullable: true })
  question: ActionQuestion | null;

  /** The answer, encrypted, until it is delivered. */
  @LongTextColumn({ nullable: true })
  answer: string | null;

  /** Detects a repeated identical answer after the answer is erased. */
  @Column({ name: 'answer_hash', type: 'varchar', length: 64, nullable: true })
  answerHash: string | null;

  /** Arguments that the approver set instead of the proposed ones. Null: not edited. */
  @JsonColumn({ nullable: true })
  edited: unknown;

  /** The reason that the approver entered. */
  @LongTextColumn({ nullable: true })
  reason: string | null;

  /** The result of the call as reported by a person. */
  @LongTextColumn({ nullable: true })
  text: string | null;

  /** Length of the reply's text, in UTF-16 code units, at the time of the decision. Readers already had this text. */
  @Column({ name: 'told_text', type: 'int', nullable: true })
  shownText: number | null;

  /** Number of calls and results that readers already had at the time of the decision. */
  @Column({ name: 'told_news', type: 'int', nullable: true })
  shownNews: number | null;

  /** Null: the action does not expire. */
  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
