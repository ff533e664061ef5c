import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsObject, IsString, Max, Min } from 'class-validator';
import { AsSent } from '../../../common/validation/as-sent.decorator';
import { CharacterCount, FieldRule, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { UserSettings } from '../entities/user.entity';

const THEMES = ['system', 'light', 'dark'] as const;

/** Bytes of JSON that a client may keep. */
const LARGEST_CLIENT_OBJECT = 8_192;

/** What the user has set up. */
export class UserSettingsDto {
  /** IANA name of a time zone; null for that of the device. @example "Europe/Paris" */
  timezone: string | null;

  /** `system`, `light` or `dark`. @example "system" */
  theme: 'system' | 'light' | 'dark';

  /** Agent of new chats; null for the installation's. @example 1 */
  default_agent_id: number | null;

  /** What every agent is told about the user; may be empty. @example "Answer briefly." */
  custom_instructions: string;

  /** Whether mails are sent that are not necessary. @example true */
  email_notifications: boolean;

  /** Whatever the client keeps here; empty at first. @example { "sidebar": "open" } */
  @ApiProperty({ type: 'object', additionalProperties: true })
  client: object;
}

/** Members that are absent stay as they are. */
export class UpdateUserSettingsDto extends LanguageBodyDto {
  /** IANA name of a time zone; null for that of the device. @example "Europe/Paris" */
  @NullableField()
  @IsString()
  @FieldRule('not_allowed', isTimeZone)
  timezone?: string | null;

  /** `system` follows the device. @example "dark" */
  @OptionalField()
  @IsIn(THEMES)
  theme?: 'system' | 'light' | 'dark';

  /** Agent of new chats; null for the installation's. @example 1 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  default_agent_id?: number | null;

  /** What every agent is told about the user; up to 4,000 characters. @example "Answer briefly." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 4_000)
  custom_instructions?: string;

  /** Whether mails are sent that are not necessary. @example true */
  @OptionalField()
  @IsBoolean()
  email_notifications?: boolean;

  /** Replaces what the client kept before; at most 8 KB as JSON. @example { "sidebar": "open" } */
  @OptionalField()
  @AsSent()
  @IsObject()
  @FieldRule('too_long', (value) => Buffer.byteLength(JSON.stringify(value)) <= LARGEST_CLIENT_OBJECT, [
    LARGEST_CLIENT_OBJECT,
  ])
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
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
  // Offsets such as +02:00 are no places: they know no summer time.
  return typeof value === 'string' && /^[A-Za-z][\w/+-]{0,63}$/.test(value) && canFormat(value);
}

function canFormat(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
