import { ApiExtraModels, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalField } from '../../../common/validation/fields';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { UsernameField } from '../../user/user.api';
import { UserFieldsDto } from './user-fields.dto';

/** Changes to an account. Absent fields stay unchanged. */
@ObjectExample({ quota_messages: 200, note: 'Asked for an invoice.' })
@ApiExtraModels(UserFieldsDto)
export class UpdateUserDto extends UserFieldsDto {
  @ApiPropertyOptional()
  @OptionalField()
  @UsernameField()
  username?: string;
}
