import { IsIn } from 'class-validator';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { EmailField, PasswordField } from '../../user/user.api';

const GRANT_TYPES = ['password'] as const;

/** The resource owner password credentials grant (RFC 6749 §4.3.2). */
export class PasswordGrantDto extends LanguageBodyDto {
  /** Always `password`. */
  @IsIn(GRANT_TYPES)
  grant_type: (typeof GRANT_TYPES)[number];

  @EmailField()
  username: string;

  @PasswordField()
  password: string;
}
