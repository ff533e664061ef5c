import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import type { Scope } from '../../../common/security/scopes';
import { OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { ExpiryField, KeyNameField, RequestsPerMinuteField, ScopesField, TokensPerDayField } from './api-key-fields';

/** A new key. */
@ObjectExample({ name: 'Nightly report', scopes: ['chat:read', 'usage:read'], tokens_per_day: 20_000 })
export class CreateApiKeyDto extends LanguageBodyDto {
  /** What you call it. @example "Nightly report" */
  @KeyNameField()
  name: string;

  @ScopesField()
  scopes: Scope[];

  /** The key's own limit, below that of its owner; absent or null: none. @example 30 */
  @RequestsPerMinuteField()
  requests_per_minute?: number | null;

  /** The key's own limit for a UTC day, below the quota of its owner; absent or null: none. @example 20000 */
  @TokensPerDayField()
  tokens_per_day?: number | null;

  /** The end, in the future; absent or null: as late as administrators allow, or never. @example "2027-07-31T12:00:00.000Z" */
  @ExpiryField()
  expires_at?: string | null;
}

/** What to change; absent fields stay as they are. */
@ObjectExample({ name: 'Weekly report', scopes: ['usage:read'] })
export class UpdateApiKeyDto extends LanguageBodyDto {
  /** What you call it. @example "Weekly report" */
  @OptionalField()
  @KeyNameField()
  name?: string;

  @OptionalField()
  @ScopesField()
  @ApiPropertyOptional()
  scopes?: Scope[];

  /** The key's own limit, below that of its owner; null: none. @example 30 */
  @RequestsPerMinuteField()
  requests_per_minute?: number | null;

  /** The key's own limit for a UTC day, below the quota of its owner; null: none. @example 20000 */
  @TokensPerDayField()
  tokens_per_day?: number | null;

  /** The end, in the future; null: as late as administrators allow, or never. @example "2027-07-31T12:00:00.000Z" */
  @ExpiryField()
  expires_at?: string | null;
}

/** How long the present key still works. */
export class RotateApiKeyDto extends LanguageBodyDto {
  /** Hours for which the present key works beside the new one; default: 24. @example 24 */
  @OptionalField()
  @IsInt()
  @Min(0)
  @Max(168)
  grace_hours?: number;
}
