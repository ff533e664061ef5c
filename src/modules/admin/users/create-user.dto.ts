import { EmailField, NewPasswordField, UsernameField } from '../../user/dto/account-fields.dto';
import { UserFieldsDto } from './user-fields.dto';

/** A new account. */
export class CreateUserDto extends UserFieldsDto {
  @EmailField()
  email: string;

  @UsernameField()
  username: string;

  @NewPasswordField()
  password: string;
}
