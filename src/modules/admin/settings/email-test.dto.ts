import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { MAIL_FAILURES, type MailFailure } from '../../../integrations/mail/mail-trial';
import { EmailField } from '../../user/user.api';

/** Where to send the test mail. */
export class EmailTestDto extends LanguageBodyDto {
  @ApiPropertyOptional({ description: 'Address of the recipient. Defaults to your own.', example: 'ada@example.com' })
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

/** What became of a mail that was handed over at once. A failure of the mail server is a result too. */
export class TestMailResultDto {
  /** Whether the mail server has taken it. @example false */
  ok: boolean;

  /** The address that the mail is for. @example "ada@example.com" */
  to: string;

  /** The sender of all mails: `mail_from` of the settings, else MAIL_FROM. @example "Chat <no-reply@example.com>" */
  sender: string;

  /** `log`: no mail server is set up, so it only stands in the log. @example "server" */
  @ApiProperty({ enum: ['server', 'log'] })
  delivery: 'server' | 'log';

  /** Why it was not taken; null: it was. @example "login_refused" */
  @ApiProperty({ enum: MAIL_FAILURES, nullable: true, example: 'login_refused' })
  reason: MailFailure | null;

  /** The reply code of the mail server; null when there was none, or nothing was wrong. @example 535 */
  status: number | null;

  /** What the mail server or the system said; null when nothing was wrong. @example "535 5.7.8 Authentication failed" */
  message: string | null;
}
