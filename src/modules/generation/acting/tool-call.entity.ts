import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';
import type { ToolCallState } from '../../../integrations/llm/port/message-parts';
import type { ToolPolicy } from '../../agent/agent.api';
import type { ToolAnswer } from '../../tool/tool.api';

/** What the server of a call wants to know before it goes on, until the call has ended. */
export interface AskedQuestions {
  /**
   * `open`: while the call is made. `resumed`: the call is made again with `state` and the answers. `repeated`: it is made again as
   * if for the first time.
   */
  kind: 'open' | 'resumed' | 'repeated';
  /** How often it has asked. */
  rounds: number;
  state: string | null;
  /** Ids of the actions, by the server's names of its questions. */
  actions: Record<string, number>;
  /** Answers that need no person, by these names. */
  answers: Record<string, ToolAnswer>;
}

/** A call of a tool: written down before it is made. */
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

  /** Its place among the calls of the reply, from 0. */
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

  /** As the model called it. */
  @Column({ type: 'varchar', length: 64 })
  name: string;

  /** The module that the tool comes from; null: no such tool, or that of a server. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  source: string | null;

  /** The MCP server that the tool comes from; null: a module. */
  @Column({ type: 'varchar', length: 32, nullable: true })
  server: string | null;

  /** SHA-256 of the definition that was approved of a server's tool; null: the tool of a module. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  pin: string | null;

  /**
   * What the call is made with: as the tool's schema read them, once, or what an approver put in their place. Null where they could
   * not be read, or were erased.
   */
  @JsonColumn({ nullable: true })
  arguments: unknown;

  /** What the model proposed, where an approver edited it; null: it was not edited, or was erased. */
  @JsonColumn({ name: 'proposed_arguments', nullable: true })
  proposedArguments: unknown;

  /** SHA-256 over tool, pin and arguments. */
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

  /** Whether it brings text from outside of the house. */
  @Column({ name: 'outside', type: 'boolean' })
  isOutside: boolean;

  /** Whether the model was told text from outside when it proposed the call; null: nobody knows. */
  @Column({ name: 'tainted', type: 'boolean', nullable: true })
  isTainted: boolean | null;

  /** Null: its server has asked nothing, or the call has ended. */
  @JsonColumn({ nullable: true })
  asked: AskedQuestions | null;

  /** How often it was begun. */
  @Column({ type: 'int' })
  attempts: number;

  /** How many of the attempts a shutdown ended. */
  @Column({ type: 'int', default: 0 })
  interruptions: number;

  /** What came of it, up to 1 MiB; null: nothing yet, or it was erased. */
  @LongTextColumn({ nullable: true })
  result: string | null;

  @Column({ name: 'is_error', type: 'boolean' })
  isError: boolean;

  @Column({ name: 'duration_ms', type: 'int', nullable: true })
  durationMs: number | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'started_at', nullable: true })
  startedAt: Date | null;

  /** When its result was known, or it was given up. */
  @TimestampColumn({ name: 'ended_at', nullable: true })
  endedAt: Date | null;
}
