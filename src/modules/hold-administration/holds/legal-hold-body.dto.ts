import { applyDecorators } from '@nestjs/common';
import { IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { CharacterCount, NotBlank, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { InstantField } from '../../../common/validation/times';
import { HOLD_SCOPES, type HoldScope } from '../../hold/hold.api';

const NameField = (): PropertyDecorator => applyDecorators(NotBlank(), CharacterCount(1, 200), IsString());

const ReasonField = (): PropertyDecorator => applyDecorators(NotBlank(), CharacterCount(1, 2_000), IsString());

/** A new legal hold. */
@ObjectExample({ scope: 'user', scope_id: 42, name: 'Smith v. Example Ltd', reason: 'Court order of 3 March.' })
export class CreateHoldDto extends LanguageBodyDto {
  /** Whether it covers a user, a conversation, or all members of a group. @example "user" */
  @IsIn(HOLD_SCOPES)
  scope: HoldScope;

  /** Id of the user, conversation or group. @example 42 */
  @Max(2_147_483_647)
  @Min(1)
  @IsInt()
  scope_id: number;

  /** Name of the hold. @example "Smith v. Example Ltd" */
  @NameField()
  name: string;

  /** Why the data must be kept. @example "Court order of 3 March, file 12-345." */
  @ReasonField()
  reason: string;

  /** Whether the owners of the data are informed. Default: true. @example true */
  @OptionalField()
  @IsBoolean()
  notify?: boolean;

  /** When the hold expires. Null: it lasts until it is released. @example "2027-03-31T22:00:00.000Z" */
  @NullableField()
  @InstantField()
  until?: string | null;
}

/** Changes to a legal hold. Absent fields stay unchanged. */
@ObjectExample({ until: '2027-12-31T23:00:00.000Z' })
export class UpdateHoldDto extends LanguageBodyDto {
  /** Name of the hold. @example "Smith v. Example Ltd" */
  @OptionalField()
  @NameField()
  name?: string;

  /** Why the data must be kept. @example "Court order of 3 March, file 12-345." */
  @OptionalField()
  @ReasonField()
  reason?: string;

  /** When the hold expires. Null: it lasts until it is released. @example "2027-12-31T23:00:00.000Z" */
  @NullableField()
  @InstantField()
  until?: string | null;
}

/** The release of a legal hold. */
@ObjectExample({ reason: 'The case is settled.' })
export class ReleaseHoldDto extends LanguageBodyDto {
  /** Why the data no longer needs to be kept. @example "The case is settled." */
  @ReasonField()
  reason: string;
}
