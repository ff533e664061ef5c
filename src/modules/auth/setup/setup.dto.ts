import { IsString } from 'class-validator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { EmailField, NewPasswordField, UsernameField } from '../../user/user.api';
import { SessionBodyDto } from '../tokens/token.dto';

/** Whether the installation still needs setup. */
export class SetupStatusDto {
  /** Whether there is no administrator yet. @example true */
  needs_administrator: boolean;

  /** Whether this caller may create the first administrator without a token. @example true */
  is_allowed_here: boolean;
}

/** The first administrator. The address is not verified, because mail may not work yet. */
@ObjectExample({ email: 'ada@example.com', username: 'ada', password: 'correct horse battery staple' })
export class CreateAdministratorDto extends SessionBodyDto {
  @EmailField()
  email: string;

  @UsernameField()
  username: string;

  @NewPasswordField()
  password: string;

  /** From the link in the log, after `#token=`. Not needed on the service's own machine. @example "mC5c…" */
  @OptionalField()
  @IsString()
  @MaxLength(128)
  token?: string;
}
