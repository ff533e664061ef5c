import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, ValidateIf } from 'class-validator';
import { MaxLength, NotBlank, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { InstantField } from '../../../common/validation/times';
import { EmailField, MEMBERSHIP_TYPES, type MembershipType } from '../../user/user.api';
import type { InvitationEntity } from './invitation.entity';

/** The secret of an invitation, which lets its holder register where registration is closed, or closed for the address. */
export const InvitationField = (): PropertyDecorator =>
  applyDecorators(
    OptionalField(),
    IsString(),
    MaxLength(64),
    NotBlank(),
    ApiPropertyOptional({
      type: String,
      minLength: 1,
      maxLength: 64,
      description:
        'Secret of an invitation. It allows registration even if registration is closed, or closed for the ' +
        'address.',
      example: '9tU2bqkXk3yYw1hJrD0aZQ',
    }),
  );

/** Whom to let in. */
@ObjectExample({ email: 'grace@example.com', membership_type: 'monthly', expires_at: '2027-01-31T12:00:00.000Z' })
export class CreateInvitationDto extends LanguageBodyDto {
  @applyDecorators(
    ValidateIf((_body, value) => value !== undefined && value !== null),
    EmailField(),
    ApiPropertyOptional({
      description:
        'The only address that can use the invitation. If it is absent or null, anyone with the link can use ' + 'it.',
    }),
  )
  email?: string | null;

  /** The plan of the new account, a month or a year from its registration; default: `free`. @example "monthly" */
  @OptionalField()
  @IsIn(MEMBERSHIP_TYPES)
  @ApiPropertyOptional({ enum: MEMBERSHIP_TYPES })
  membership_type?: MembershipType;

  /** When it ends, within a year; absent or null: in seven days. @example "2027-01-31T12:00:00.000Z" */
  @NullableField()
  @InstantField()
  expires_at?: string | null;
}

/** An invitation that was not used yet. */
export class InvitationDto {
  /** Used in the path that takes it back. @example 3 */
  id: number;

  /** The only address that it is for; null: whoever has the link. @example "grace@example.com" */
  email: string | null;

  /** The plan of the new account. @example "monthly" */
  @ApiProperty({ enum: MEMBERSHIP_TYPES })
  membership_type: MembershipType;

  /** When it ends. @example "2027-01-31T12:00:00.000Z" */
  expires_at: string;

  /** The administrator who made it. @example 1 */
  created_by: number;

  /** When it was made. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;
}

/** A new invitation. This answer alone has its secret. */
export class NewInvitationDto extends InvitationDto {
  /** The page to give to the person. @example "https://chat.example.com/console/register?invitation=9tU2bqkXk3yYw1hJrD0aZQ" */
  url: string;

  /** For a page of your own: `invitation` of POST /auth/send_code and POST /auth/register. @example "9tU2bqkXk3yYw1hJrD0aZQ" */
  token: string;
}

/** The id of the invitation that was taken back. */
export class DeletedInvitationDto {
  /** Of the invitation. @example 3 */
  id: number;
}

export function toInvitationDto(invitation: InvitationEntity): InvitationDto {
  const { id, email, membershipType, expiresAt, createdBy, createdAt } = invitation;
  return {
    id,
    email,
    membership_type: membershipType,
    expires_at: expiresAt.toISOString(),
    created_by: createdBy,
    created_at: createdAt.toISOString(),
  };
}
