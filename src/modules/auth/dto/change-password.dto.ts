import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { NewPasswordField, PasswordField } from '../../user/dto/account-fields.dto';

/** A new password by the present one. */
export class ChangePasswordDto extends LanguageBodyDto {
  /** The present password. */
  @PasswordField()
  current_password: string;

  @NewPasswordField()
  new_password: string;
}
