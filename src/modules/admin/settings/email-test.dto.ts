import { ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { EmailField } from '../../user/user.api';

/** Where to send the test mail. */
export class EmailTestDto extends LanguageBodyDto {
  @ApiPropertyOptional({ description: 'The address to send to; your own if absent.', example: 'ada@example.com' })
  @OptionalField()
  @EmailField()
  to?: string;
}

/** A test mail that is on its way. */
export class EmailTestResultDto {
  /** The address that the mail goes to. @example "ada@example.com" */
  to: string;
}
