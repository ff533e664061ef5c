import { ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalField } from '../../../common/validation/fields';
import { UsernameField } from '../../user/dto/account-fields.dto';
import { UserFieldsDto } from './user-fields.dto';

/** What to change; absent fields stay as they are. */
export class UpdateUserDto extends UserFieldsDto {
  @ApiPropertyOptional()
  @OptionalField()
  @UsernameField()
  username?: string;
}
