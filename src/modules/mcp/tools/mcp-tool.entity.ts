import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import type { McpToolDefinition } from '../protocol/tool-definition';
import type { ToolProblem } from './tool-problems';

/** `quarantined`: no administrator has approved it as it is. `gone`: the server does not list it any more. */
export const MCP_TOOL_STATES = ['quarantined', 'approved', 'blocked', 'gone'] as const;

export type McpToolState = (typeof MCP_TOOL_STATES)[number];

/** A tool of a server. */
@Entity('mcp_tools')
@Index('uq_mcp_tools_server_id_name_hash', ['serverId', 'nameHash'], { unique: true })
@Index('ix_mcp_tools_told_name', ['toldName'])
export class McpToolEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'server_id', type: 'int' })
  serverId: number;

  /** As the server names it. */
  @Column({ type: 'varchar', length: 255 })
  name: string;

  /** SHA-256 of the name: two names may be equal for a database. */
  @Column({ name: 'name_hash', type: 'varchar', length: 64 })
  nameHash: string;

  /** What models and agents call it. */
  @Column({ name: 'told_name', type: 'varchar', length: 64 })
  toldName: string;

  @Column({ type: 'varchar', length: 16 })
  state: McpToolState;

  /** SHA-256 over the definition. */
  @Column({ type: 'varchar', length: 64 })
  pin: string;

  /** Null: it is too large to be kept. */
  @JsonColumn({ nullable: true })
  definition: McpToolDefinition | null;

  @Column({ name: 'approved_pin', type: 'varchar', length: 64, nullable: true })
  approvedPin: string | null;

  @JsonColumn({ name: 'approved_definition', nullable: true })
  approvedDefinition: McpToolDefinition | null;

  @JsonColumn()
  problems: ToolProblem[];

  /** The problems that an administrator saw and approved the tool with. */
  @JsonColumn({ name: 'approved_problems' })
  approvedProblems: ToolProblem[];

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
