import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';
import type { ToolCallState } from '../../../integrations/llm/port/message-parts';
import type { ToolPolicy } from '../../agent/agent.api';
import type { ToolAnswer } from '../../tool/tool.api';

/** The questions that an MCP server asked before it continues a call. Kept until the call ends. */
export interface AskedQuestions {
  /**
   * `open`: the call is still running. `resumed`: the call is repeated with `state` and the answers. `repeated`: the
   * call is repeated from the start.
   */
  kind: 'open' | 'resumed' | 'repeated';
  /** How many times the server has asked. */
  rounds: number;
  state: string | null;
  /** Ids of the actions, by the server's names for its questions. */
  actions: Record<string, number>;
  /** Answers that need no person, by the same names. */
  answers: Record<string, ToolAnswer>;
}

/** A tool call. Stored before it is made. */
@Entity('tool_calls')
@Index('uq_tool_calls_message_id_number', ['messageId', 'number'], { unique: true })
@Index('ix_tool_calls_chat_id', ['chatId', 'isOutside'])
@Index('ix_tool_calls_user_id', ['userId'])
@Index('ix_tool_calls_state', ['state', 'messageId'])
@Index('ix_tool_calls_created_at', ['createdAt'])
export class ToolCallEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The reply. */
  @Column({ name: 'message_id', type: 'int' })
  messageId: number;

  /** Index of the call within the reply, from 0. */
  @Column({ type: 'int' })
  number: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  /** From 1. */
  @Column({ type: 'int' })
  round: number;

  /** The name that the model used. */
  @Column({ type: 'varchar', length: 64 })
  name: string;

  /** The module that provides the tool. Null: the tool is unknown, or an MCP server provides it. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  source: string | null;

  /** The MCP server that provides the tool. Null: a module provides it. */
  @Column({ type: 'varchar', length: 32, nullable: true })
  server: string | null;

  /** SHA-256 of the approved definition of an MCP server's tool. Null: the tool of a module. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  pin: string | null;

  /**
   * The arguments of the call, parsed once with the tool's schema or edited by an approver. Null: they could not be
   * parsed, or were erased.
   */
  @JsonColumn({ nullable: true })
  arguments: unknown;

  /** The arguments that the model proposed before an approver edited them. Null: not edited, or erased. */
  @JsonColumn({ name: 'proposed_arguments', nullable: true })
  proposedArguments: unknown;

  /** SHA-256 of tool, pin and arguments. */
  @Column({ name: 'arguments_hash', type: 'varchar', length: 64 })
  argumentsHash: string;

  @Column({ type: 'varchar', length: 16 })
  state: ToolCallState;

  @Column({ type: 'varchar', length: 8 })
  policy: ToolPolicy;

  @Column({ type: 'varchar', length: 16 })
  approver: string;

  @Column({ name: 'read_only', type: 'boolean' })
  isReadOnly: boolean;

  @Column({ name: 'idempotent', type: 'boolean' })
  isIdempotent: boolean;

  @Column({ name: 'destructive', type: 'boolean' })
  isDestructive: boolean;

  /** Whether the tool returns untrusted content. */
  @Column({ name: 'outside', type: 'boolean' })
  isOutside: boolean;

  /** Whether the prompt contained untrusted content when the model proposed the call. Null: unknown. */
  @Column({ name: 'tainted', type: 'boolean', nullable: true })
  isTainted: boolean | null;

  /** Null: the server has asked nothing, or the call has ended. */
  @JsonColumn({ nullable: true })
  asked: AskedQuestions | null;

  /** Number of attempts that were started. */
  @Column({ type: 'int' })
  attempts: number;

  /** Number of attempts that a shutdown interrupted. */
  @Column({ type: 'int', default: 0 })
  interruptions: number;

  /** The result, up to 1 MiB. Null: none yet, or erased. */
  @LongTextColumn({ nullable: true })
  result: string | null;

  @Column({ name: 'is_error', type: 'boolean' })
  isError: boolean;

  @Column({ name: 'duration_ms', type: 'int', nullable: true })
  durationMs: number | null;

  /** The span of its last attempt. Null or absent without tracing. It is only read by name. */
  @Column({ name: 'span_id', type: 'varchar', length: 16, nullable: true, select: false })
  spanId?: string | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'started_at', nullable: true })
  startedAt: Date | null;

  /** When the result was known or the call was abandoned. */
  @TimestampColumn({ name: 'ended_at', nullable: true })
  endedAt: Date | null;
}
