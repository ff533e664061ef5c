import { ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { UsernameField } from '../../user/user.api';

/** Under which name to open an account again. */
export class RestoreUserDto extends LanguageBodyDto {
  /** Another name, where somebody else has taken the former one; absent: the former one. */
  @ApiPropertyOptional()
  @OptionalField()
  @UsernameField()
  username?: string;
}
