import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { PasswordField } from '../../user/user.api';
import { CodeField } from '../codes/code.dto';

/** Proof that the owner is closing the account: the password, or a code of purpose `login`. */
@ObjectExample({ password: 'correct horse battery staple' })
export class CloseAccountDto extends LanguageBodyDto {
  /** The password. Not needed with `code`. */
  @applyDecorators(
    ValidateIf((body: CloseAccountDto) => body.code === undefined || body.password !== undefined),
    PasswordField(),
    ApiPropertyOptional(),
  )
  password?: string;

  /** A code of purpose `login`, instead of the password. */
  @applyDecorators(ValidateIf((body: CloseAccountDto) => body.code !== undefined), CodeField(), ApiPropertyOptional())
  code?: string;
}

/** Response to closing the account. */
export class AccountClosedDto {
  /** Always true. Failures return the error body. @example true */
  success: true;

  /** A sentence in the caller's language. @example "Your account is closed." */
  message: string;

  /** When the content will be erased. @example "2026-08-07T12:00:00.000Z" */
  erase_at: string;

  /** Only if a legal hold keeps the account. @example true */
  kept?: boolean;
}
