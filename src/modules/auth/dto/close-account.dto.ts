import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { PasswordField } from '../../user/user.api';
import { CodeField } from './code-field.dto';

/** Proof that it is the owner who closes the account: the password, or a code of purpose `login`. */
@ObjectExample({ password: 'correct horse battery staple' })
export class CloseAccountDto extends LanguageBodyDto {
  /** The password; absent with `code`. */
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
