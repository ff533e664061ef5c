import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';
import { CharacterCount, FieldRule } from '../../../common/validation/fields';
import { isPlainEmail, normalizeEmail } from './email-address';
import { hasUsernameCharacters, isReservedUsername, normalizeUsername } from './username';

/** Brings a text into its one form before the rules check it. */
export const normalized = (normalize: (text: string) => string): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalize(value) : value));

/** A body's e-mail address: arrives trimmed and lower-cased. */
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

/** A body's new username: arrives in NFC. */
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
