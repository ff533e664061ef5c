import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, isFQDN, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import type { Language } from '../../../common/i18n/language';
import { FieldRule, MaxLength, NoDuplicates, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { BrandingDto, PASSWORD_LOGINS, type PasswordLoginRule, SHARING, type Sharing } from '../../user/user.api';
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

  /** Domains whose addresses may register; none means all. @example ["example.com"] */
  allowed_email_domains: string[];

  /** The longest life of new API keys, in days; null: any. @example 365 */
  api_key_max_days: number | null;

  /** Who may read conversations that are shared by links: nobody, people who are signed in, or everybody. @example "users" */
  @ApiProperty({ enum: SHARING })
  sharing: Sharing;

  /** What the installation calls itself; null: as the software does. @example "Acme Assistant" */
  name: string | null;

  /** The sender of all mails; null: MAIL_FROM. @example "Acme Assistant <no-reply@example.com>" */
  mail_from: string | null;

  /** Whom passwords and codes let in: `everyone`, `admins`, or nobody (`off`). @example "everyone" */
  @ApiProperty({ enum: PASSWORD_LOGINS })
  password_login: PasswordLoginRule;

  /** Whether the console's overview shows what a new installation needs first. @example true */
  first_steps: boolean;
}

/** Settings to change; absent ones stay as they are. */
@ObjectExample({ registration_enabled: true, allowed_email_domains: [] })
export class UpdateSettingsDto extends LanguageBodyDto {
  /** Whether new users may register. @example true */
  @OptionalField()
  @IsBoolean()
  registration_enabled?: boolean;

  /** Domains whose addresses may register, at most 100; an empty list allows all. @example ["example.com"] */
  @OptionalField()
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.map(normalizedDomain) : value))
  @FieldRule('invalid_format', (value) => Array.isArray(value) && value.every(isDomain))
  @NoDuplicates()
  @ArrayMaxSize(100)
  @MaxLength(253, { each: true })
  @IsString({ each: true })
  @IsArray()
  allowed_email_domains?: string[];

  /** The longest life of new API keys, in days; null: any. Keys that exist stay as they are. @example 365 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(36_500)
  api_key_max_days?: number | null;

  /** Who may read conversations that are shared by links. `off` ends all links; they do not live again. @example "users" */
  @OptionalField()
  @IsIn(SHARING)
  @ApiPropertyOptional({ enum: SHARING })
  sharing?: Sharing;

  /** What the installation calls itself, up to 60 characters; null: as the software does. @example "Acme Assistant" */
  @NameField()
  name?: string | null;

  /**
   * Its picture, as a data URL of a PNG, JPEG, GIF or WebP of at most 48 KiB; null: none.
   * @example "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
   */
  @LogoField()
  logo?: string | null;

  /** The colour of its buttons and links; pages make it lighter or darker where it could not be read. @example "#0a6e5c" */
  @ColourField()
  colour?: string | null;

  /** What people read who come, up to 1,000 characters; null: nothing. @example "Ask anything about our products." */
  @WelcomeField()
  welcome?: string | null;

  /** Where its terms stand; null: it has none. @example "https://example.com/terms" */
  @TermsField()
  terms_url?: string | null;

  /** The languages of its pages; the first one is for those who want none of them. @example ["en", "de"] */
  @LanguagesField()
  languages?: Language[];

  /**
   * The sender of all mails, with the name by which they call the installation or as the bare address; null: MAIL_FROM.
   * @example "Acme Assistant <no-reply@example.com>"
   */
  @MailboxField()
  mail_from?: string | null;

  /**
   * Whom passwords and codes let in: `everyone`, `admins`, or nobody (`off`). `off` needs an administrator who signed in with a
   * provider within the last day. Not with an API key. @example "everyone"
   */
  @OptionalField()
  @IsIn(PASSWORD_LOGINS)
  password_login?: PasswordLoginRule;

  /** Whether the console's overview shows what a new installation needs first. @example false */
  @OptionalField()
  @IsBoolean()
  first_steps?: boolean;
}

function normalizedDomain(domain: unknown): unknown {
  return typeof domain === 'string' ? domain.trim().toLowerCase() : domain;
}

/** The part after the @ of plain ASCII addresses. */
function isDomain(domain: unknown): boolean {
  return typeof domain === 'string' && /^[a-z0-9.-]+$/.test(domain) && isFQDN(domain, { require_tld: true });
}
