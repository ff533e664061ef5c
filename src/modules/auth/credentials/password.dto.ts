import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { EmailField, NewPasswordField, PasswordField } from '../../user/user.api';
import { CodeField } from '../codes/code.dto';

/** A new password by the present one. */
export class ChangePasswordDto extends LanguageBodyDto {
  /** The present password. */
  @PasswordField()
  current_password: string;

  @NewPasswordField()
  new_password: string;
}

/** A new password by a code of purpose `reset_password`. */
export class ResetPasswordDto extends LanguageBodyDto {
  @EmailField()
  email: string;

  @CodeField()
  code: string;

  @NewPasswordField()
  new_password: string;
}
