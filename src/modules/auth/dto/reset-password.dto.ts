import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { EmailField, NewPasswordField } from '../../user/user.api';
import { CodeField } from './code-field.dto';

/** A new password by a code of purpose `reset_password`. */
export class ResetPasswordDto extends LanguageBodyDto {
  @EmailField()
  email: string;

  @CodeField()
  code: string;

  @NewPasswordField()
  new_password: string;
}
