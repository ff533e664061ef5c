import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { EmailField, NewPasswordField, UsernameField } from '../../user/user.api';
import { UserFieldsDto } from './user-fields.dto';

/** A new account. */
@ObjectExample({
  email: 'grace@example.com',
  username: 'grace',
  password: 'correct horse battery staple',
  membership_type: 'monthly',
  note: 'Asked for an invoice.',
})
export class CreateUserDto extends UserFieldsDto {
  @EmailField()
  email: string;

  @UsernameField()
  username: string;

  @NewPasswordField()
  password: string;
}
