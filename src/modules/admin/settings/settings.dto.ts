import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, isFQDN, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import type { Language } from '../../../common/i18n/language';
import { AllowedHosts } from '../../../common/network/allowed-hosts';
import { FieldRule, MaxLength, NoDuplicates, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import {
  BrandingDto,
  DEVICE_LOGINS,
  type DeviceLoginRule,
  PASSWORD_LOGINS,
  type PasswordLoginRule,
  SHARING,
  type Sharing,
} from '../../user/user.api';
import {
  ColourField,
  LanguagesField,
  LogoField,
  MailboxField,
  NameField,
  TermsField,
  WelcomeField,
} from './branding-fields';

/** Settings of the installation. */
export class SettingsDto extends OmitType(BrandingDto, ['name']) {
  /** Whether new users may register. @example true */
  registration_enabled: boolean;

  /** Email domains whose addresses may register. An empty list allows all. @example ["example.com"] */
  allowed_email_domains: string[];

  /** Longest lifetime of new API keys, in days. Null for no limit. @example 365 */
  api_key_max_days: number | null;

  /** Who can read conversations that are shared by links: no one, signed-in users, or anyone. @example "users" */
  @ApiProperty({ enum: SHARING })
  sharing: Sharing;

  /** Name of the installation. Null for the software's name. @example "Acme Assistant" */
  name: string | null;

  /** Sender of all mails. Null for MAIL_FROM. @example "Acme Assistant <no-reply@example.com>" */
  mail_from: string | null;

  /** Who can sign in with a password or code: `everyone`, `admins`, or no one (`off`). @example "everyone" */
  @ApiProperty({ enum: PASSWORD_LOGINS })
  password_login: PasswordLoginRule;

  /** Whether command-line programs can sign in with a code. @example "on" */
  @ApiProperty({ enum: DEVICE_LOGINS })
  device_login: DeviceLoginRule;

  /** Internal hosts that MCP servers may have, in addition to MCP_ALLOWED_HOSTS. @example ["mcp.internal:8080"] */
  mcp_allowed_hosts: string[];

  /** Whether the console's overview shows the first steps of a new installation. @example true */
  first_steps: boolean;
}

/** Settings to change. Absent ones stay unchanged. */
@ObjectExample({ registration_enabled: true, allowed_email_domains: [] })
export class UpdateSettingsDto extends LanguageBodyDto {
  /** Whether new users may register. @example true */
  @OptionalField()
  @IsBoolean()
  registration_enabled?: boolean;

  /** Email domains whose addresses may register, at most 100. An empty list allows all. @example ["example.com"] */
  @OptionalField()
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.map(normalizedDomain) : value))
  @FieldRule('invalid_format', (value) => Array.isArray(value) && value.every(isDomain))
  @NoDuplicates()
  @ArrayMaxSize(100)
  @MaxLength(253, { each: true })
  @IsString({ each: true })
  @IsArray()
  allowed_email_domains?: string[];

  /** Longest lifetime of new API keys, in days. Null for no limit. Existing keys stay unchanged. @example 365 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(36_500)
  api_key_max_days?: number | null;

  /** Who can read conversations that are shared by links. `off` ends all links permanently. @example "users" */
  @OptionalField()
  @IsIn(SHARING)
  @ApiPropertyOptional({ enum: SHARING })
  sharing?: Sharing;

  /** Name of the installation, up to 60 characters. Null for the software's name. @example "Acme Assistant" */
  @NameField()
  name?: string | null;

  /**
   * Logo, as a data URL of a PNG, JPEG, GIF or WebP of at most 48 KiB. Null for none.
   * @example "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
   */
  @LogoField()
  logo?: string | null;

  /** Colour of buttons and links. Pages make it lighter or darker where it would be unreadable. @example "#0a6e5c" */
  @ColourField()
  colour?: string | null;

  /** Welcome text, up to 1,000 characters. Null for none. @example "Ask anything about our products." */
  @WelcomeField()
  welcome?: string | null;

  /** Address of the terms of use. Null for none. @example "https://example.com/terms" */
  @TermsField()
  terms_url?: string | null;

  /** Languages of the pages. The first one is for users who prefer none of them. @example ["en", "de"] */
  @LanguagesField()
  languages?: Language[];

  /**
   * Sender of all mails, as a bare address or with a display name. Null for MAIL_FROM.
   * @example "Acme Assistant <no-reply@example.com>"
   */
  @MailboxField()
  mail_from?: string | null;

  /**
   * Who can sign in with a password or code: `everyone`, `admins`, or no one (`off`). `off` requires an administrator
   * who signed in with an identity provider within the last day. API keys cannot change it.
   * @example "everyone"
   */
  @OptionalField()
  @IsIn(PASSWORD_LOGINS)
  password_login?: PasswordLoginRule;

  /** Whether command-line programs can sign in with a code. Existing sessions stay open with `off`. @example "on" */
  @OptionalField()
  @IsIn(DEVICE_LOGINS)
  @ApiPropertyOptional({ enum: DEVICE_LOGINS })
  device_login?: DeviceLoginRule;

  /**
   * Internal hosts that MCP servers and their authorization servers may have, in addition to MCP_ALLOWED_HOSTS and in
   * its format, at most 100. Changing it needs an access token of a sign-in within the last hour.
   * @example ["mcp.internal:8080"]
   */
  @OptionalField()
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.map(normalizedDomain) : value))
  @FieldRule(
    'invalid_format',
    (value) => Array.isArray(value) && value.every((entry) => AllowedHosts.isInnerEntry(entry)),
  )
  @NoDuplicates()
  @ArrayMaxSize(100)
  @MaxLength(260, { each: true })
  @IsString({ each: true })
  @IsArray()
  mcp_allowed_hosts?: string[];

  /** Whether the console's overview shows the first steps of a new installation. @example false */
  @OptionalField()
  @IsBoolean()
  first_steps?: boolean;
}

function normalizedDomain(domain: unknown): unknown {
  return typeof domain === 'string' ? domain.trim().toLowerCase() : domain;
}

/** The domain of a plain ASCII address. */
function isDomain(domain: unknown): boolean {
  return typeof domain === 'string' && /^[a-z0-9.-]+$/.test(domain) && isFQDN(domain, { require_tld: true });
}
