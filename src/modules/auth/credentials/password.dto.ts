import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { EmailField, NewPasswordField, PasswordField } from '../../user/user.api';
import { CodeField } from '../codes/code.dto';

/** Changes the password with the current one. */
export class ChangePasswordDto extends LanguageBodyDto {
  /** The current password. */
  @PasswordField()
  current_password: string;

  @NewPasswordField()
  new_password: string;
}

/** Sets a new password with a code of purpose `reset_password`. */
export class ResetPasswordDto extends LanguageBodyDto {
  @EmailField()
  email: string;

  @CodeField()
  code: string;

  @NewPasswordField()
  new_password: string;
}
