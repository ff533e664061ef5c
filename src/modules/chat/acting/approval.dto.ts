import { ApiProperty } from '@nestjs/swagger';
import { APPROVAL_SCOPES, type ApprovalScope, targetsOf, type ToolApproval } from '../../generation/generation.api';

/** A tool that the user is not asked about any more. */
export class ApprovalDto {
  /** For DELETE /user/approvals/{id}. @example 3 */
  id: number;

  /** The tool. @example "cancel_order" */
  tool: string;

  /** Where it holds: in one conversation, or wherever the user talks with one agent. @example "chat" */
  @ApiProperty({ enum: APPROVAL_SCOPES })
  scope: ApprovalScope;

  /** The conversation; null: `scope` is `agent`. @example 1 */
  chat_id: number | null;

  /** The agent; null: `scope` is `chat`. @example 1 */
  agent_id: number | null;

  /** When it was said, or said again. @example "2026-01-31T09:31:00.000Z" */
  created_at: string;
}

export function toApprovalDto(approval: ToolApproval): ApprovalDto {
  const { id, tool, scope, createdAt } = approval;
  return { id, tool, scope, ...targetsOf(approval), created_at: createdAt.toISOString() };
}
