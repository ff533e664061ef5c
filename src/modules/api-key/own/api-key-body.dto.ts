import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMinSize, IsArray, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import type { Scope } from '../../../common/security/scopes';
import {
  CharacterCount,
  FieldRule,
  NoDuplicates,
  NotBlank,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { InstantField } from '../../../common/validation/times';
import { KEY_SCOPES } from '../keys/key-scopes';

/** Name that the owner chooses. */
const KeyNameField = (): PropertyDecorator => applyDecorators(NotBlank(), IsString(), CharacterCount(1, 64));

/** The rights of the key. `documentScopes` adds the scopes to its documentation. */
const ScopesField = (): PropertyDecorator =>
  applyDecorators(
    IsIn(KEY_SCOPES.all, { each: true }),
    NoDuplicates(),
    FieldRule(
      'too_many_items',
      (value) => Array.isArray(value) && value.length <= KEY_SCOPES.limit[0],
      KEY_SCOPES.limit,
    ),
    ArrayMinSize(1),
    IsArray(),
    ApiProperty({
      minItems: 1,
      uniqueItems: true,
      description: 'Permissions of the key.',
      example: ['chat:read', 'chat:write'],
    }),
  );

/** The key's own limit of requests. */
const RequestsPerMinuteField = (): PropertyDecorator =>
  applyDecorators(NullableField(), IsInt(), Min(1), Max(1_000_000), ApiProperty({ minimum: 1, maximum: 1_000_000 }));

/** The key's own limit of tokens. */
const TokensPerDayField = (): PropertyDecorator =>
  applyDecorators(NullableField(), IsInt(), Min(1), Max(Number.MAX_SAFE_INTEGER), ApiProperty({ minimum: 1 }));

/** The expiry of the key. */
const ExpiryField = (): PropertyDecorator => applyDecorators(NullableField(), InstantField());

/** A new key. */
@ObjectExample({ name: 'Nightly report', scopes: ['chat:read', 'usage:read'], tokens_per_day: 20_000 })
export class CreateApiKeyDto extends LanguageBodyDto {
  /** Name of the key. @example "Nightly report" */
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

  /**
   * Expiry, in the future; absent or null: as late as administrators allow, or never.
   *
   * @example "2027-07-31T12:00:00.000Z"
   */
  @ExpiryField()
  expires_at?: string | null;
}

/** Changes of a key; absent fields stay unchanged. */
@ObjectExample({ name: 'Weekly report', scopes: ['usage:read'] })
export class UpdateApiKeyDto extends LanguageBodyDto {
  /** Name of the key. @example "Weekly report" */
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

  /** Expiry, in the future; null: as late as administrators allow, or never. @example "2027-07-31T12:00:00.000Z" */
  @ExpiryField()
  expires_at?: string | null;
}

/** How long the current key remains valid. */
export class RotateApiKeyDto extends LanguageBodyDto {
  /** Hours for which the current key remains valid in addition to the new one; default: 24. @example 24 */
  @OptionalField()
  @IsInt()
  @Min(0)
  @Max(168)
  grace_hours?: number;
}
