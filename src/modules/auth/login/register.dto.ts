import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { EmailField, NewPasswordField, UsernameField } from '../../user/user.api';
import { CodeField } from '../codes/code.dto';

/** A new account; the code must be of purpose `register`. */
export class RegisterDto extends LanguageBodyDto {
  @EmailField()
  email: string;

  @UsernameField()
  username: string;

  @NewPasswordField()
  password: string;

  @CodeField()
  code: string;
}
