import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';

/** `http`: a service at a URL. `builtin`: rules that the service checks itself. */
export const GUARD_KINDS = ['http', 'builtin'] as const;

export type GuardKind = (typeof GUARD_KINDS)[number];

/** What a guard sees: texts on their way in, results of tools, and the output of the model. */
export const GUARD_STAGES = ['input', 'tool_result', 'output'] as const;

export type GuardStage = (typeof GUARD_STAGES)[number];

/** What happens with a finding: the text is refused, the finding is masked, or it is only reported. */
export const GUARD_MODES = ['block', 'mask', 'report'] as const;

export type GuardMode = (typeof GUARD_MODES)[number];

/** What happens if a guard cannot decide: `closed` refuses the text, `open` lets it pass. */
export const ERROR_RULES = ['closed', 'open'] as const;

export type ErrorRule = (typeof ERROR_RULES)[number];

/** Where masks become their values again: in the reply, also in arguments of tools, or nowhere. */
export const RESTORE_RULES = ['answer', 'answer_and_tools', 'none'] as const;

export type RestoreRule = (typeof RESTORE_RULES)[number];

/** The rules of the built-in guard that have a name. */
export const NAMED_RULES = ['email', 'credit_card', 'iban'] as const;

export type NamedRule = (typeof NAMED_RULES)[number];

/** A regular expression with the flag `u`, and the type of its matches. */
export interface PatternRule {
  type: string;
  pattern: string;
}

export type BuiltinRule = NamedRule | PatternRule;

/** A service that checks texts, or the built-in rules. */
@Entity('guards')
@Index('uq_guards_name', ['name'], { unique: true })
export class GuardEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 32 })
  name: string;

  @Column({ type: 'varchar', length: 16 })
  kind: GuardKind;

  /** Null: the guard is built in. */
  @Column({ type: 'varchar', length: 2_000, nullable: true })
  url: string | null;

  /** Encrypted; null: the guard is built in. */
  @LongTextColumn({ nullable: true })
  secret: string | null;

  /** Encrypted JSON of names and values; null: none. */
  @LongTextColumn({ nullable: true })
  headers: string | null;

  /** The header names, in their original spelling. */
  @JsonColumn({ name: 'header_names' })
  headerNames: string[];

  @JsonColumn()
  stages: GuardStage[];

  @Column({ type: 'varchar', length: 16 })
  mode: GuardMode;

  @Column({ name: 'on_error', type: 'varchar', length: 16 })
  onError: ErrorRule;

  @Column({ name: 'timeout_ms', type: 'int' })
  timeoutMs: number;

  /** Groups whose members it applies to; null: all users; an empty array: no user. */
  @JsonColumn({ name: 'group_ids', nullable: true })
  groupIds: number[] | null;

  /** Agents that it applies to; null: all; an empty array: none. */
  @JsonColumn({ name: 'agent_ids', nullable: true })
  agentIds: number[] | null;

  /** Characters of output that wait for the check of those that follow. MySQL reserves the word `window`. */
  @Column({ name: 'window_length', type: 'int' })
  window: number;

  @Column({ name: 'restore_rule', type: 'varchar', length: 20 })
  restore: RestoreRule;

  /** Of a built-in guard. */
  @JsonColumn()
  rules: BuiltinRule[];

  /** Guards of a stage run in this order. */
  @Column({ type: 'int' })
  position: number;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive: boolean;

  /** Incremented by each change that may change findings, so that earlier texts are checked again. */
  @Column({ type: 'int' })
  version: number;

  /** When its current outage began; null: none. */
  @TimestampColumn({ name: 'failing_since', nullable: true })
  failingSince: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
