import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { DeletedAtColumn, JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';
import { AgentBehaviour } from './agent-behaviour';

export const AGENT_STATUSES = ['draft', 'active', 'disabled'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export const ACCESS_LEVELS = ['free', 'paid', 'groups'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** An agent for other modules, which can read it, but not change it. */
export type Agent = Readonly<AgentEntity>;

/** An assistant that users can chat with: its presentation, and how its model is called. */
@Entity('agents')
@Index('uq_agents_name', ['nameKey', 'deletionMarker'], { unique: true })
@Index('uq_agents_is_default', ['isDefault'], { unique: true })
export class AgentEntity extends AgentBehaviour {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 64 })
  name: string;

  /** The name for comparisons: Unicode-normalized and in lower case. */
  @Column({ name: 'name_key', type: 'varchar', length: 255 })
  nameKey: string;

  /** 0, or the agent's own id once it is deleted, so that its name can be reused. */
  @Column({ name: 'deletion_marker', type: 'int', default: 0 })
  deletionMarker: number;

  @Column({ type: 'varchar', length: 1000 })
  description: string;

  /** Path of an image. */
  @Column({ type: 'varchar', length: 255 })
  avatar: string;

  @Column({ type: 'varchar', length: 64 })
  category: string;

  @JsonColumn()
  tags: string[];

  @LongTextColumn({ name: 'opening_message' })
  openingMessage: string;

  @JsonColumn({ name: 'suggested_questions' })
  suggestedQuestions: string[];

  /** Who may chat with it. */
  @Column({ name: 'access_level', type: 'varchar', length: 16 })
  accessLevel: AccessLevel;

  /** The groups that may chat with it if the access level is `groups`; null, from earlier releases: none. */
  @JsonColumn({ name: 'group_ids', nullable: true })
  groupIds: number[] | null;

  /** Whether it is the agent of chats that name none. At most one row is true: all others store NULL. */
  @Column({
    name: 'is_default',
    type: 'int',
    nullable: true,
    transformer: { to: (value: boolean) => (value ? 1 : null), from: (value: number | null) => value === 1 },
  })
  isDefault: boolean;

  @Column({ type: 'varchar', length: 16 })
  status: AgentStatus;

  /** Position in lists, ascending. */
  @Column({ name: 'sort_order', type: 'int' })
  sortOrder: number;

  /** Increases with every change, from 1. */
  @Column({ type: 'int' })
  version: number;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;

  @DeletedAtColumn()
  deletedAt: Date | null;
}
