import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, ValidateIf } from 'class-validator';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { EmailField, PasswordField } from '../../user/user.api';
import { CodeField } from '../codes/code.dto';
import { SessionBodyDto } from '../tokens/token.dto';

/** Both forms of the login (specification §4.1 rule 5): with a password or with a code. */
@ObjectExample({ email: 'ada@example.com', password: 'correct horse battery staple' })
export class LoginDto extends SessionBodyDto {
  @EmailField()
  email: string;

  /** The password. Not needed with `verification_code`. */
  @applyDecorators(
    ValidateIf(({ verification_code, password }: LoginDto) => !isGiven(verification_code) || isGiven(password)),
    PasswordField(),
    ApiPropertyOptional(),
  )
  password?: string | null;

  /** A code of purpose `login` or `register`, instead of the password. */
  @applyDecorators(
    ValidateIf(({ verification_code }: LoginDto) => isGiven(verification_code)),
    CodeField(),
    ApiPropertyOptional(),
  )
  verification_code?: string | null;
}

/** Clients whose form has both fields send null for the unused one. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Login with a code of purpose `login` or `register`. */
@ObjectExample({ email: 'ada@example.com', code: '123456' })
export class VerifyDto extends SessionBodyDto {
  @EmailField()
  email: string;

  @CodeField()
  code: string;
}

const GRANT_TYPES = ['password'] as const;

/** The resource owner password credentials grant (RFC 6749 §4.3.2). */
export class PasswordGrantDto extends LanguageBodyDto {
  /** Must be `password`. */
  @IsIn(GRANT_TYPES)
  grant_type: (typeof GRANT_TYPES)[number];

  @EmailField()
  username: string;

  /** The account's password. */
  @PasswordField()
  password: string;
}
