import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';
import { CharacterCount, FieldRule } from '../../../common/validation/fields';
import { isPlainEmail, normalizeEmail } from './email-address';
import { hasUsernameCharacters, isReservedUsername, normalizeUsername } from './username';

/** Normalizes a string before the rules validate it. */
export const normalized = (normalize: (text: string) => string): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalize(value) : value));

/** An email address in a body, trimmed and lowercased. */
export const EmailField = (): PropertyDecorator =>
  applyDecorators(
    normalized(normalizeEmail),
    IsString(),
    FieldRule('invalid_email', isPlainEmail),
    ApiProperty({
      type: String,
      format: 'email',
      maxLength: 254,
      description: 'A plain ASCII email address, not case-sensitive.',
      example: 'ada@example.com',
    }),
  );

/** A new username in a body, normalized to NFC. */
export const UsernameField = (): PropertyDecorator =>
  applyDecorators(
    normalized(normalizeUsername),
    IsString(),
    FieldRule('reserved', (value) => typeof value !== 'string' || !isReservedUsername(value)),
    FieldRule('invalid_format', (value) => typeof value === 'string' && hasUsernameCharacters(value)),
    CharacterCount(2, 32),
    ApiProperty({
      type: String,
      description: 'Letters of any script, digits, `_`, `.` and `-`. Unique, not case-sensitive.',
      example: 'ada',
    }),
  );
