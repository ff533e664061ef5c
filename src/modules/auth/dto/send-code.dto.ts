import { IsIn, IsString } from 'class-validator';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { EmailField } from '../../user/user.api';
import { CODE_PURPOSES, CodePurpose } from '../entities/verification-code.entity';

/** Where to send a code, and what for (specification §4.1). */
export class SendCodeDto extends LanguageBodyDto {
  @EmailField()
  email: string;

  /** What the code is to be good for. @example "register" */
  @IsString()
  @IsIn(CODE_PURPOSES)
  purpose: CodePurpose;
}
