import { ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { UsernameField } from '../../user/user.api';

/** Name of an account that is restored. */
export class RestoreUserDto extends LanguageBodyDto {
  /** A new name, if another account has taken the old one. If absent, the old name. */
  @ApiPropertyOptional()
  @OptionalField()
  @UsernameField()
  username?: string;
}
