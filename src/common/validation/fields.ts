import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy, ValidateIf, type ValidationArguments, type ValidationOptions } from 'class-validator';
import { isLanguageTag, LONGEST_LANGUAGE_TAG } from '../i18n/language';
import { hasVisible } from '../text/visible';

/** The field may be absent. `null` does not count as absent; it is validated like any value. */
export const OptionalField = (): PropertyDecorator => ValidateIf((_object, value) => value !== undefined);

/** The field may be absent or null. */
export const NullableField = (): PropertyDecorator =>
  ValidateIf((_object, value) => value !== undefined && value !== null);

/**
 * A rule of the service. Its name is the token that callers read in `details.errors[].reason`; the catalogue has its
 * message under `validation.<name>`.
 *
 * @param constraints the bound that the message names
 */
export function FieldRule<Dto extends object = object>(
  reason: string,
  holds: (value: unknown, dto: Dto) => boolean,
  constraints?: [bound: number],
): PropertyDecorator {
  return ValidateBy({
    name: reason,
    constraints,
    validator: {
      validate: (value: unknown, validation?: ValidationArguments) => holds(value, validation?.object as Dto),
      defaultMessage: () => reason,
    },
  });
}

/** Text with at least one visible character. */
export const NotBlank = (): PropertyDecorator =>
  FieldRule('blank', (value) => typeof value === 'string' && hasVisible(value));

/** A list without duplicates. The validator's own rule takes quadratic time. */
export const NoDuplicates = (): PropertyDecorator =>
  FieldRule('duplicate', (value) => Array.isArray(value) && new Set(value).size === value.length);

/**
 * The validator's rule of this name, except that it counts every Unicode character. The validator ignores variation
 * selectors, so a text could have more of them than any column holds.
 */
export function MaxLength(maximum: number, options?: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && !isLonger(value, maximum);
  const defaultMessage = (): string => '$property must be at most $constraint1 characters long';
  return ValidateBy({ name: 'maxLength', constraints: [maximum], validator: { validate, defaultMessage } }, options);
}

/** Text of `minimum` to `maximum` Unicode characters. An emoji counts as one, not as two. */
export function CharacterCount(minimum: number, maximum: number): PropertyDecorator {
  return applyDecorators(
    ValidateBy({
      name: 'too_short',
      constraints: [minimum],
      validator: { validate: (value) => !isShorter(value, minimum), defaultMessage: () => 'too_short' },
    }),
    ValidateBy({
      name: 'too_long',
      constraints: [maximum],
      validator: { validate: (value) => !isLonger(value, maximum), defaultMessage: () => 'too_long' },
    }),
    ApiProperty({ minLength: minimum || undefined, maxLength: maximum }),
  );
}

/** `lang`: the language tag that bodies may contain (BCP 47, at most 16 characters). */
export const LanguageField = (): PropertyDecorator =>
  applyDecorators(
    NullableField(),
    FieldRule('invalid_language', isLanguageTag),
    ApiPropertyOptional({
      type: String,
      maxLength: LONGEST_LANGUAGE_TAG,
      description: 'Language of messages, emails and replies, as a tag such as `en` or `zh-CN`. At most 16 characters.',
      example: 'en',
    }),
  );

/** A character has one or two UTF-16 units, so the length is usually enough to decide. */
function isShorter(value: unknown, minimum: number): boolean {
  return typeof value === 'string' && value.length < 2 * minimum && countCharacters(value) < minimum;
}

export function isLonger(value: unknown, maximum: number): boolean {
  return (
    typeof value === 'string' &&
    value.length > maximum &&
    (value.length > 2 * maximum || countCharacters(value) > maximum)
  );
}

/** Unicode characters: an emoji counts as one, not as two. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) {
    count++;
  }
  return count;
}
