import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import type { McpToolDefinition } from '../protocol/tool-definition';
import type { ToolProblem } from './tool-problems';

/** `quarantined`: no administrator has approved its current definition. `gone`: the server no longer lists it. */
export const MCP_TOOL_STATES = ['quarantined', 'approved', 'blocked', 'gone'] as const;

export type McpToolState = (typeof MCP_TOOL_STATES)[number];

/** A tool of an MCP server. */
@Entity('mcp_tools')
@Index('uq_mcp_tools_server_id_name_hash', ['serverId', 'nameHash'], { unique: true })
@Index('ix_mcp_tools_told_name', ['modelName'])
export class McpToolEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'server_id', type: 'int' })
  serverId: number;

  /** The name at the server. */
  @Column({ type: 'varchar', length: 255 })
  name: string;

  /** SHA-256 of the name, because a database may treat two different names as equal. */
  @Column({ name: 'name_hash', type: 'varchar', length: 64 })
  nameHash: string;

  /** The name for models and agents. */
  @Column({ name: 'told_name', type: 'varchar', length: 64 })
  modelName: string;

  @Column({ type: 'varchar', length: 16 })
  state: McpToolState;

  /** SHA-256 of the definition. */
  @Column({ type: 'varchar', length: 64 })
  pin: string;

  /** Null: too large to store. */
  @JsonColumn({ nullable: true })
  definition: McpToolDefinition | null;

  @Column({ name: 'approved_pin', type: 'varchar', length: 64, nullable: true })
  approvedPin: string | null;

  @JsonColumn({ name: 'approved_definition', nullable: true })
  approvedDefinition: McpToolDefinition | null;

  @JsonColumn()
  problems: ToolProblem[];

  /** The problems that existed when an administrator approved the tool. */
  @JsonColumn({ name: 'approved_problems' })
  approvedProblems: ToolProblem[];

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
