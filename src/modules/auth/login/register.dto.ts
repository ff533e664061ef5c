import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { EmailField, NewPasswordField, UsernameField } from '../../user/user.api';
import { CodeField } from '../codes/code.dto';
import { InvitationField } from '../invitations/invitation.dto';
import { SessionBodyDto } from '../tokens/token.dto';

/** A new account. The code must be of purpose `register`. */
@ObjectExample({
  email: 'ada@example.com',
  username: 'ada',
  password: 'correct horse battery staple',
  code: '123456',
})
export class RegisterDto extends SessionBodyDto {
  @EmailField()
  email: string;

  @UsernameField()
  username: string;

  @NewPasswordField()
  password: string;

  @CodeField()
  code: string;

  @InvitationField()
  invitation?: string;
}
