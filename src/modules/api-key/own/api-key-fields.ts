import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { SCOPES } from '../../../common/security/scopes';
import { CharacterCount, NoDuplicates, NotBlank, NullableField } from '../../../common/validation/fields';
import { InstantField } from '../../../common/validation/times';

/** What the owner calls the key. */
export const KeyNameField = (): PropertyDecorator => applyDecorators(NotBlank(), IsString(), CharacterCount(1, 64));

/** What the key may do. */
export const ScopesField = (): PropertyDecorator =>
  applyDecorators(
    IsIn(SCOPES, { each: true }),
    NoDuplicates(),
    ArrayMaxSize(SCOPES.length),
    ArrayMinSize(1),
    IsArray(),
    ApiProperty({
      enum: SCOPES,
      enumName: 'Scope',
      enumSchema: { description: '`agents:write` and `admin:…` are for administrators.' },
      isArray: true,
      minItems: 1,
      maxItems: SCOPES.length,
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
