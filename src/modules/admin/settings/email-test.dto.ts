import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
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

/** Where a test mail went. */
export class EmailTestResultDto {
  /** The address that the mail is for. @example "ada@example.com" */
  to: string;

  /** `server`: it is on its way; `log`: no mail server is set up, so it only stands in the log. @example "server" */
  @ApiProperty({ enum: ['server', 'log'] })
  delivery: 'server' | 'log';
}
