import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsString, Min, ValidateIf } from 'class-validator';
import { MaxLength, NoDuplicates, NotBlank, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { InstantField } from '../../../common/validation/times';
import { EmailField, MEMBERSHIP_TYPES, type MembershipType } from '../../user/user.api';
import type { InvitationEntity } from './invitation.entity';

/**
 * The secret of an invitation, which allows its holder to register even if registration is closed, or closed for the
 * address.
 */
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

/** A new invitation. */
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

  /** Plan of the new account, lasting a month or a year from registration. Default: `free`. @example "monthly" */
  @OptionalField()
  @IsIn(MEMBERSHIP_TYPES)
  @ApiPropertyOptional({ enum: MEMBERSHIP_TYPES })
  membership_type?: MembershipType;

  /** Groups of the new account, at most 100. @example [3] */
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(100)
  @NoDuplicates()
  @IsInt({ each: true })
  @Min(1, { each: true })
  group_ids?: number[];

  /** Sends the link to `email`, which is then required. @example true */
  @OptionalField()
  @IsBoolean()
  send?: boolean;

  /**
   * When the invitation expires, at most one year from now. If absent or null, in seven days.
   * @example "2027-01-31T12:00:00.000Z"
   */
  @NullableField()
  @InstantField()
  expires_at?: string | null;
}

/** An unused invitation. */
export class InvitationDto {
  /** Id of the invitation. @example 3 */
  id: number;

  /**
   * The only address that can use the invitation. Null if anyone with the link can use it.
   * @example "grace@example.com"
   */
  email: string | null;

  /** Plan of the new account. @example "monthly" */
  @ApiProperty({ enum: MEMBERSHIP_TYPES })
  membership_type: MembershipType;

  /** Groups of the new account; those that no longer exist are left out when it registers. @example [3] */
  group_ids: number[];

  /** When the invitation expires. @example "2027-01-31T12:00:00.000Z" */
  expires_at: string;

  /** Id of the administrator who created the invitation. @example 1 */
  created_by: number;

  /** When the invitation was created. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;
}

/** A new invitation with its secret, which no other response contains. */
export class NewInvitationDto extends InvitationDto {
  /**
   * The registration page to send to the person.
   * @example "https://chat.example.com/console/register?invitation=9tU2bqkXk3yYw1hJrD0aZQ"
   */
  url: string;

  /**
   * For your own page: `invitation` of POST /auth/send_code and POST /auth/register.
   * @example "9tU2bqkXk3yYw1hJrD0aZQ"
   */
  token: string;

  /** Whether the link is sent by email; false also without a mail server. @example false */
  sent: boolean;
}

/** A deleted invitation. */
export class DeletedInvitationDto {
  /** Id of the deleted invitation. @example 3 */
  id: number;
}

export function toInvitationDto(invitation: InvitationEntity): InvitationDto {
  const { id, email, membershipType, groupIds, expiresAt, createdBy, createdAt } = invitation;
  return {
    id,
    email,
    membership_type: membershipType,
    group_ids: groupIds ?? [],
    expires_at: expiresAt.toISOString(),
    created_by: createdBy,
    created_at: createdAt.toISOString(),
  };
}
