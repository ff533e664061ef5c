import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { NewPasswordField, PasswordField } from '../../user/user.api';

/** A new password by the present one. */
export class ChangePasswordDto extends LanguageBodyDto {
  /** The present password. */
  @PasswordField()
  current_password: string;

  @NewPasswordField()
  new_password: string;
}
