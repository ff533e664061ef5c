import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMinSize, IsArray, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { CharacterCount, FieldRule, NoDuplicates, NotBlank, NullableField } from '../../../common/validation/fields';
import { InstantField } from '../../../common/validation/times';
import { KEY_SCOPES } from '../keys/key-scopes';

/** What the owner calls the key. */
export const KeyNameField = (): PropertyDecorator => applyDecorators(NotBlank(), IsString(), CharacterCount(1, 64));

/** What the key may do. `documentScopes` adds the scopes to its documentation. */
export const ScopesField = (): PropertyDecorator =>
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
      description: 'What the key may do.',
      example: ['chat:read', 'chat:write'],
    }),
  );

/** The key's own limit of requests. */
export const RequestsPerMinuteField = (): PropertyDecorator =>
  applyDecorators(NullableField(), IsInt(), Min(1), Max(1_000_000), ApiProperty({ minimum: 1, maximum: 1_000_000 }));

/** The key's own limit of tokens. */
export const TokensPerDayField = (): PropertyDecorator =>
  applyDecorators(NullableField(), IsInt(), Min(1), Max(Number.MAX_SAFE_INTEGER), ApiProperty({ minimum: 1 }));

/** The end of the key. */
export const ExpiryField = (): PropertyDecorator => applyDecorators(NullableField(), InstantField());
