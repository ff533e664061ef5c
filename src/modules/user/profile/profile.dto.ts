import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { isLanguageTag, LONGEST_LANGUAGE_TAG } from '../../../common/i18n/language';
import { CharacterCount, FieldRule, MaxLength, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { UsernameField } from '../account/account-fields.dto';
import { UserEntity } from '../account/user.entity';

/** A path on this service, such as `/static/avatars/7.png`, never an address of another service. */
const PATH = /^\/(?![/\\])[\w./~%@+-]*$/;

/** The user's profile. */
export class ProfileDto {
  /** Id of the user. @example 42 */
  id: number;

  /** Unique regardless of case. @example "ada" */
  username: string;

  /** Email address, in lower case. @example "ada@example.com" */
  email: string;

  /** A short description of the user. Null if there is none. @example "Mathematician" */
  bio: string | null;

  /** Language of messages, mails and replies. Null if each request chooses it. @example "en" */
  language: string | null;

  /** Path of a picture on this service. Null if none was chosen. @example "/static/avatars/7.png" */
  avatar: string | null;

  /** When the account was created. @example "2026-07-01T12:00:00.000Z" */
  created_at: string;

  /** When the account was last changed. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** Changes to a profile. Absent fields stay unchanged. Null clears a field. */
export class UpdateProfileDto extends LanguageBodyDto {
  @OptionalField()
  @UsernameField()
  @ApiPropertyOptional()
  username?: string;

  /** A short description of the user, up to 500 characters. Null clears it. @example "Mathematician" */
  @NullableField()
  @IsString()
  @CharacterCount(0, 500)
  bio?: string | null;

  /** Language tag, at most 16 characters. Null if each request chooses it. @example "en" */
  @NullableField()
  @FieldRule('invalid_language', isLanguageTag)
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: LONGEST_LANGUAGE_TAG })
  language?: string | null;

  /** Path of a picture on this service. Null removes it. @example "/static/avatars/7.png" */
  @NullableField()
  @IsString()
  @FieldRule('invalid_format', (value) => typeof value === 'string' && PATH.test(value))
  @MaxLength(255)
  avatar?: string | null;
}

export function toProfileDto(user: UserEntity): ProfileDto {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    bio: user.bio,
    language: user.language,
    avatar: user.avatar,
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
  };
}
