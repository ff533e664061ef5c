import { ApiPropertyOptional } from '@nestjs/swagger';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { OptionalField } from '../../../common/validation/fields';
import { UsernameField } from '../../user/dto/account-fields.dto';

/** Under which name to open an account again. */
export class RestoreUserDto extends LanguageBodyDto {
  /** Another name, where somebody else has taken the former one; absent: the former one. */
  @ApiPropertyOptional()
  @OptionalField()
  @UsernameField()
  username?: string;
}
