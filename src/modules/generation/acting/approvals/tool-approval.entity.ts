import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../../database/columns';

/** Where a remembered approval applies: in one conversation, or in all conversations with one agent. */
export const APPROVAL_SCOPES = ['chat', 'agent'] as const;

export type ApprovalScope = (typeof APPROVAL_SCOPES)[number];

/** A user's approval for all later calls of a tool. */
@Entity('tool_approvals')
@Index('uq_tool_approvals_user_id', ['userId', 'scope', 'targetId', 'tool'], { unique: true })
export class ToolApprovalEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ type: 'varchar', length: 64 })
  tool: string;

  /** Hash of the approved definition of an MCP server's tool. Null: the tool of a module. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  pin: string | null;

  @Column({ type: 'varchar', length: 8 })
  scope: ApprovalScope;

  /** The conversation or the agent. */
  @Column({ name: 'target_id', type: 'int' })
  targetId: number;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}

/** A remembered approval as other modules see it. */
export type ToolApproval = Readonly<ToolApprovalEntity>;

/** Where an approval applies, as the API returns it. */
export function targetsOf({ scope, targetId }: Pick<ToolApprovalEntity, 'scope' | 'targetId'>): {
  chat_id: number | null;
  agent_id: number | null;
} {
  return { chat_id: scope === 'chat' ? targetId : null, agent_id: scope === 'agent' ? targetId : null };
}
