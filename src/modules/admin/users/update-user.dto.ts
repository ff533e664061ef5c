import { ApiPropertyOptional } from '@nestjs/swagger';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { OptionalField } from '../../../common/validation/fields';
import { UsernameField } from '../../user/dto/account-fields.dto';
import { UserFieldsDto } from './user-fields.dto';

/** What to change; absent fields stay as they are. */
@ObjectExample({ quota_messages: 200, note: 'Asked for an invoice.' })
export class UpdateUserDto extends UserFieldsDto {
  @ApiPropertyOptional()
  @OptionalField()
  @UsernameField()
  username?: string;
}
