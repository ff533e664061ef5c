import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { CharacterCount, FieldRule } from '../../../common/validation/fields';
import { normalForm } from '../../../common/validation/normal-form';
import { normalized } from '../account/account-fields.dto';
import { usernameKey } from '../account/username';
import { isCommonPassword, LONGEST_PASSWORD, SHORTEST_PASSWORD } from './password-rules';

/**
 * A new password in a body, normalized to NFC. If the body also has `email` or `username`, the password must differ
 * from them. Otherwise the service checks that.
 */
export const NewPasswordField = (): PropertyDecorator =>
  applyDecorators(
    normalized(normalForm),
    IsString(),
    FieldRule('password_too_common', (value) => typeof value !== 'string' || !isCommonPassword(value)),
    FieldRule<{ username?: unknown }>('password_is_username', (value, { username }) => !isSameName(value, username)),
    FieldRule<{ email?: unknown }>('password_is_email', (value, { email }) => !isSameName(value, email)),
    CharacterCount(SHORTEST_PASSWORD, LONGEST_PASSWORD),
    ApiProperty({
      type: String,
      format: 'password',
      description: 'Any characters. The address, the username and very common passwords are not allowed.',
      example: 'correct horse battery staple',
    }),
  );

/** A password to compare with the stored one, normalized to NFC. */
export const PasswordField = (): PropertyDecorator =>
  applyDecorators(
    normalized(normalForm),
    IsString(),
    CharacterCount(1, LONGEST_PASSWORD),
    ApiProperty({
      type: String,
      format: 'password',
      maxLength: LONGEST_PASSWORD,
      example: 'correct horse battery staple',
    }),
  );

function isSameName(password: unknown, name: unknown): boolean {
  return typeof password === 'string' && typeof name === 'string' && usernameKey(password) === usernameKey(name);
}
