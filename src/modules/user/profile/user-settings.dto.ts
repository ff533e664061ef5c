import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsObject, IsString, Max, Min } from 'class-validator';
import { MOST_MEMBERS } from '../../../common/http/body/json-scan';
import { AsSent } from '../../../common/validation/as-sent.decorator';
import { CharacterCount, FieldRule, MaxLength, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { UserSettings } from '../account/user.entity';

const THEMES = ['system', 'light', 'dark'] as const;

/** Most bytes of JSON that a client may store. */
const LARGEST_CLIENT_OBJECT = 8_192;

/** The user's settings. */
export class UserSettingsDto {
  /**
   * For clients: IANA name of a time zone. Null for the device's. The service itself uses UTC.
   *
   * @example "Europe/Paris"
   */
  timezone: string | null;

  /** For clients: `system`, `light` or `dark`. @example "system" */
  theme: 'system' | 'light' | 'dark';

  /**
   * Default agent of new chats. Null for the installation's, which is also used while the chosen agent is switched off
   * or not available to this user.
   *
   * @example 1
   */
  default_agent_id: number | null;

  /** Instructions about the user for every agent. May be empty. @example "Answer briefly." */
  custom_instructions: string;

  /**
   * Whether to send optional mails, such as that a webhook was disabled. Codes, and mails about the password and the
   * account, are always sent.
   *
   * @example true
   */
  email_notifications: boolean;

  /** For clients: their own data, initially empty. @example { "sidebar": "open" } */
  @ApiProperty({ type: 'object', additionalProperties: true })
  client: object;
}

/** Changes to the settings. Absent fields stay unchanged. */
export class UpdateUserSettingsDto extends LanguageBodyDto {
  /** For clients: IANA name of a time zone. Null for the device's. @example "Europe/Paris" */
  @NullableField()
  @FieldRule('not_allowed', isTimeZone)
  @MaxLength(64)
  @IsString()
  timezone?: string | null;

  /** For clients: `system` follows the device. @example "dark" */
  @OptionalField()
  @IsIn(THEMES)
  theme?: 'system' | 'light' | 'dark';

  /**
   * Default agent of new chats, which the user must be able to chat with now. Null for the installation's.
   * @example 1
   */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  default_agent_id?: number | null;

  /** Instructions about the user for every agent, up to 4,000 characters. @example "Answer briefly." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 4_000)
  custom_instructions?: string;

  /** Whether to send optional mails, such as that a webhook was disabled. @example true */
  @OptionalField()
  @IsBoolean()
  email_notifications?: boolean;

  /** For clients: their own data, at most 8 KB as JSON. Replaces the previous data. @example { "sidebar": "open" } */
  @OptionalField()
  @AsSent()
  @IsObject()
  @FieldRule('too_long', (value) => Buffer.byteLength(JSON.stringify(value)) <= LARGEST_CLIENT_OBJECT, [
    LARGEST_CLIENT_OBJECT,
  ])
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, maxProperties: MOST_MEMBERS })
  client?: object;
}

/** The settings with their defaults. */
export function toUserSettingsDto(settings: UserSettings): UserSettingsDto {
  return {
    timezone: settings.timezone ?? null,
    theme: settings.theme ?? 'system',
    default_agent_id: settings.default_agent_id ?? null,
    custom_instructions: settings.custom_instructions ?? '',
    email_notifications: settings.email_notifications ?? true,
    client: settings.client ?? {},
  };
}

function isTimeZone(value: unknown): boolean {
  // An offset such as +02:00 is not a place's time zone, because it has no summer time.
  return typeof value === 'string' && /^[A-Za-z][\w/+-]*$/.test(value) && canFormat(value);
}

function canFormat(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
