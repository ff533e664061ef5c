import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsInt, IsString, Max, Min } from 'class-validator';
import { CharacterCount, FieldRule, MaxLength, NoDuplicates, NullableField } from '../../../common/validation/fields';

/** A decimal number that is not negative. */
const AMOUNT = /^\d{1,12}(\.\d{1,12})?$/;

/** Characters of the longest amount. */
const LONGEST_AMOUNT = 25;

/** What may be spent. */
export const LimitField = (): PropertyDecorator =>
  applyDecorators(
    FieldRule('invalid_format', (value) => typeof value === 'string' && AMOUNT.test(value)),
    MaxLength(LONGEST_AMOUNT),
    IsString(),
    ApiProperty({ pattern: AMOUNT.source, maxLength: LONGEST_AMOUNT }),
  );

/** Percents that are told. */
export const ThresholdsField = (): PropertyDecorator =>
  applyDecorators(
    Max(1_000, { each: true }),
    Min(1, { each: true }),
    IsInt({ each: true }),
    NoDuplicates(),
    ArrayMaxSize(20),
    IsArray(),
    ApiProperty({ type: [Number], maxItems: 20, uniqueItems: true }),
  );

/** What administrators note. */
export const NoteField = (): PropertyDecorator => applyDecorators(NullableField(), CharacterCount(0, 500), IsString());
