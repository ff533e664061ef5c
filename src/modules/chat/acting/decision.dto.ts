import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsDefined, IsIn, IsObject, IsString, Matches } from 'class-validator';
import { MOST_MEMBERS } from '../../../common/http/body/json-scan';
import { AsSent } from '../../../common/validation/as-sent.decorator';
import { CharacterCount, MaxLength, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import {
  APPROVAL_SCOPES,
  type ApprovalScope,
  type Decision,
  type DecisionRequest,
  DECISIONS,
} from '../../generation/generation.api';
import { STREAM_FORMATS, type StreamFormat, UiVersionField } from '../reading/reply-query.dto';
import type { UiVersion } from '../reading/ui-version';

const HASH = /^[0-9a-f]{64}$/;

/** A decision about a tool call. */
export class DecisionDto extends LanguageBodyDto {
  /**
   * For an `approve` or `input` action: `approve` or `deny`. For `unknown`: `retry` makes the call again, `done` reports
   * that the call succeeded, `failed` that it did not. For `connect`: `deny` cancels the call; otherwise the call
   * continues once the user is connected. @example "approve"
   */
  @IsDefined()
  @IsIn(DECISIONS)
  @ApiProperty({ enum: DECISIONS })
  decision: Decision;

  /**
   * The hash of the action. Required except for `deny`.
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  @OptionalField()
  @Matches(HASH)
  @MaxLength(64)
  @IsString()
  arguments_hash?: string;

  /**
   * With `approve`: arguments that replace those of the action. For an `input` action with a `schema`: the form values,
   * which are required and stored only until delivery.
   */
  @OptionalField()
  @AsSent()
  @IsObject()
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    maxProperties: MOST_MEMBERS,
    example: { order: 7 },
  })
  arguments?: Record<string, unknown>;

  /** The reason, sent to the model; up to 2,000 characters. @example "Not this week." */
  @OptionalField()
  @CharacterCount(1, 2_000)
  @IsString()
  reason?: string;

  /** With `done`: the result of the call, up to 32,000 characters. @example "The order is cancelled." */
  @OptionalField()
  @CharacterCount(1, 32_000)
  @IsString()
  text?: string;

  /**
   * With `approve`: remember the approval in this conversation (`chat`), or in all of the user's conversations with
   * this agent (`agent`). Requires `can_remember`, unchanged `arguments` and a session instead of an API key.
   * @example "chat"
   */
  @OptionalField()
  @IsIn(APPROVAL_SCOPES)
  @ApiPropertyOptional({ enum: APPROVAL_SCOPES })
  remember?: ApprovalScope;

  /** Same as the query parameter, for clients that can only set the body. */
  @NullableField()
  @IsIn(STREAM_FORMATS)
  stream_format?: StreamFormat | null;

  @UiVersionField()
  ui_version?: UiVersion;
}

export function toDecisionRequest(id: number, body: DecisionDto): DecisionRequest {
  const {
    decision,
    arguments_hash = null,
    arguments: edited = null,
    reason = null,
    text = null,
    remember = null,
  } = body;
  return { id, decision, argumentsHash: arguments_hash, arguments: edited, reason, text, remember };
}
