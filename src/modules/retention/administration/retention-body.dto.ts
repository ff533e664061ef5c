import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, Min, ValidateIf } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { CharacterCount, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { ObjectList } from '../../../common/validation/object-list';
import { InstantField } from '../../../common/validation/times';
import {
  MOST_DAYS,
  RETENTION_KINDS,
  RETENTION_SCOPES,
  type RetentionKind,
  type RetentionScope,
} from '../policies/retention-kinds';

const LARGEST_ID = 2_147_483_647;

/** Most policies in one preview. */
const MOST_PREVIEWED = 200;

/** Days, or null to keep the data. */
const DaysRule = (): PropertyDecorator => applyDecorators(Max(MOST_DAYS), Min(1), IsInt());

const NoteField = (): PropertyDecorator => applyDecorators(NullableField(), CharacterCount(0, 500), IsString());

/** A policy to preview. */
@ObjectExample({ scope: 'service', kind: 'chats', days: 365 })
export class PreviewedPolicyDto {
  /** Whose data it applies to. @example "service" */
  @IsIn(RETENTION_SCOPES)
  scope: RetentionScope;

  /** Id of the group; absent or null for `service`. */
  @NullableField()
  @Max(LARGEST_ID)
  @Min(1)
  @IsInt()
  @ApiPropertyOptional({ type: Number, nullable: true, example: null })
  scope_id?: number | null;

  /** The data that it deletes. @example "chats" */
  @IsIn(RETENTION_KINDS)
  kind: RetentionKind;

  /** Days after which the data is deleted. Null: it is kept. @example 365 */
  @ValidateIf(({ days }: PreviewedPolicyDto) => days !== null)
  @DaysRule()
  days: number | null;
}

/** A new policy. */
@ObjectExample({ scope: 'service', kind: 'chats', days: 365 })
export class CreateRetentionPolicyDto extends LanguageBodyDto {
  /** Whose data it applies to. @example "service" */
  @IsIn(RETENTION_SCOPES)
  scope: RetentionScope;

  /** Id of the group; absent or null for `service`. */
  @NullableField()
  @Max(LARGEST_ID)
  @Min(1)
  @IsInt()
  @ApiPropertyOptional({ type: Number, nullable: true, example: null })
  scope_id?: number | null;

  /** The data that it deletes. @example "chats" */
  @IsIn(RETENTION_KINDS)
  kind: RetentionKind;

  /** Days after which the data is deleted. Null: it is kept. @example 365 */
  @ValidateIf(({ days }: CreateRetentionPolicyDto) => days !== null)
  @DaysRule()
  days: number | null;

  /**
   * When a shorter period takes effect; a time in the past means now. Default: in 24 hours.
   *
   * @example "2026-03-02T09:30:00.000Z"
   */
  @OptionalField()
  @InstantField()
  effective_at?: string;

  /** Note for administrators. @example "Agreed with the data protection officer." */
  @NoteField()
  note?: string | null;
}

/** Changes to a policy. Absent fields stay unchanged. */
@ObjectExample({ days: 730 })
export class UpdateRetentionPolicyDto extends LanguageBodyDto {
  /** Days after which the data is deleted. Null: it is kept. @example 730 */
  @NullableField()
  @DaysRule()
  days?: number | null;

  /**
   * When a shorter period takes effect; a time in the past means now. Default: in 24 hours.
   *
   * @example "2026-03-02T09:30:00.000Z"
   */
  @OptionalField()
  @InstantField()
  effective_at?: string;

  /** Note for administrators. @example "Agreed with the data protection officer." */
  @NoteField()
  note?: string | null;
}

/** What to preview. */
@ObjectExample({ policies: [{ scope: 'service', kind: 'chats', days: 365 }] })
export class PreviewRetentionDto extends LanguageBodyDto {
  /** All policies to count with, as if they were in force. Absent: the stored policies that are in force. */
  @OptionalField()
  @ObjectList(() => PreviewedPolicyDto, MOST_PREVIEWED)
  @ApiPropertyOptional({ type: [PreviewedPolicyDto] })
  policies?: PreviewedPolicyDto[];
}

/** Filters for policies. */
export class ListRetentionPoliciesQueryDto extends PageQueryDto {
  /** Only policies of this scope. */
  @OptionalField()
  @IsIn(RETENTION_SCOPES)
  scope?: RetentionScope;

  /** Only policies for this kind of data. */
  @OptionalField()
  @IsIn(RETENTION_KINDS)
  kind?: RetentionKind;
}
