import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { EmailField } from '../../user/user.api';
import { CodeField } from './code-field.dto';

/** Login with a code of purpose `login` or `register`. */
export class VerifyDto extends LanguageBodyDto {
  @EmailField()
  email: string;

  @CodeField()
  code: string;
}
