import { ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { UsernameField } from '../../user/user.api';

/** The name of an account that is opened again. */
export class RestoreUserDto extends LanguageBodyDto {
  /** A new name, if somebody else has taken the old one; absent: the old one. */
  @ApiPropertyOptional()
  @OptionalField()
  @UsernameField()
  username?: string;
}
