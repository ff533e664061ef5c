import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsDefined, IsInt, IsString, Max, Min } from 'class-validator';
import { MOST_MEMBERS } from '../../../common/http/body/json-scan';
import { CharacterCount, OptionalField } from '../../../common/validation/fields';
import type { DecisionRequest } from '../../generation/generation.api';

/** The decision of an AI SDK page about one call. */
export class SentApprovalDto {
  /** The action, from the part's `approval.id`. @example 5 */
  @IsDefined()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  @IsInt()
  id: number;

  /** Whether the call is approved. @example true */
  @IsDefined()
  @IsBoolean()
  approved: boolean;

  /** The reason, sent to the model; up to 2,000 characters. @example "Not this week." */
  @OptionalField()
  @CharacterCount(1, 2_000)
  @IsString()
  reason?: string;

  /** The arguments as the page shows them. An approval requires that they equal those of the action. */
  @OptionalField()
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    maxProperties: MOST_MEMBERS,
    example: { order: 7 },
  })
  input?: unknown;
}

export function approvalToDecision(approval: SentApprovalDto): DecisionRequest {
  const { id, approved, reason = null, input } = approval;
  const decided = { id, reason, argumentsHash: null, arguments: null, text: null, remember: null };
  return { ...decided, decision: approved ? 'approve' : 'deny', shownInput: input };
}
