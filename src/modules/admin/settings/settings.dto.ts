import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, isFQDN, IsIn, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { FieldRule, NoDuplicates, NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { PASSWORD_LOGINS, type PasswordLoginRule } from '../../user/user.api';

/** Settings of the installation. */
export class SettingsDto {
  /** Whether new users may register. @example true */
  registration_enabled: boolean;

  /** Domains whose addresses may register; none means all. @example ["example.com"] */
  allowed_email_domains: string[];

  /** The longest life of new API keys, in days; null: any. @example 365 */
  api_key_max_days: number | null;

  /** Whom passwords and codes let in: `everyone`, `admins`, or nobody (`off`). @example "everyone" */
  @ApiProperty({ enum: PASSWORD_LOGINS })
  password_login: PasswordLoginRule;
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

  /**
   * Whom passwords and codes let in: `everyone`, `admins`, or nobody (`off`). `off` needs an administrator who signed in with a
   * provider within the last day. Not with an API key. @example "everyone"
   */
  @OptionalField()
  @IsIn(PASSWORD_LOGINS)
  password_login?: PasswordLoginRule;
}

function normalizedDomain(domain: unknown): unknown {
  return typeof domain === 'string' ? domain.trim().toLowerCase() : domain;
}

/** The part after the @ of plain ASCII addresses. */
function isDomain(domain: unknown): boolean {
  return typeof domain === 'string' && /^[a-z0-9.-]+$/.test(domain) && isFQDN(domain, { require_tld: true });
}
