import { ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { EmailField, NewPasswordField, UsernameField } from '../../user/user.api';
import { UserFieldsDto } from './user-fields.dto';

/** For people only, because a service account has no address and no password. */
const PersonsField = (): PropertyDecorator =>
  ValidateIf(({ user_type }: CreateUserDto, value) => user_type !== 'service' || value !== undefined);

/** A new account. */
@ObjectExample({
  email: 'grace@example.com',
  username: 'grace',
  password: 'correct horse battery staple',
  membership_type: 'monthly',
  note: 'Asked for an invoice.',
})
export class CreateUserDto extends UserFieldsDto {
  @PersonsField()
  @EmailField()
  @ApiPropertyOptional({
    description: 'A plain ASCII email address, not case-sensitive. Omit it for a service account.',
  })
  email?: string;

  @UsernameField()
  username: string;

  @PersonsField()
  @NewPasswordField()
  @ApiPropertyOptional()
  password?: string;
}
