import { ApiProperty } from '@nestjs/swagger';
import { APPROVAL_SCOPES, type ApprovalScope, targetsOf, type ToolApproval } from './tool-approval.entity';

/** A remembered approval: the tool runs without asking the user again. */
export class ApprovalDto {
  /** The ID for DELETE /user/approvals/{id}. @example 3 */
  id: number;

  /** The tool. @example "cancel_order" */
  tool: string;

  /**
   * Where the approval applies: in one conversation, or in all of the user's conversations with one agent.
   * @example "chat"
   */
  @ApiProperty({ enum: APPROVAL_SCOPES })
  scope: ApprovalScope;

  /** The conversation; null if `scope` is `agent`. @example 1 */
  chat_id: number | null;

  /** The agent; null if `scope` is `chat`. @example 1 */
  agent_id: number | null;

  /** When the approval was last granted. @example "2026-01-31T09:31:00.000Z" */
  created_at: string;
}

export function toApprovalDto(approval: ToolApproval): ApprovalDto {
  const { id, tool, scope, createdAt } = approval;
  return { id, tool, scope, ...targetsOf(approval), created_at: createdAt.toISOString() };
}
