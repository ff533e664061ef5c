import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { MAIL_FAILURES, type MailFailure } from '../../../integrations/mail/mail-trial';
import { EmailField } from '../../user/user.api';

/** The recipient of the test mail. */
export class EmailTestDto extends LanguageBodyDto {
  @ApiPropertyOptional({ description: 'Address of the recipient. Defaults to your own.', example: 'ada@example.com' })
  @OptionalField()
  @EmailField()
  to?: string;
}

/** Result of queueing a test mail. */
export class EmailTestResultDto {
  /** Recipient of the mail. @example "ada@example.com" */
  to: string;

  /**
   * `server`: queued for the mail server; `log`: no mail server is configured, so the mail is only logged.
   * @example "server"
   */
  @ApiProperty({ enum: ['server', 'log'] })
  delivery: 'server' | 'log';
}

/** Result of a test mail that was sent at once. A failure of the mail server is a result, too. */
export class TestMailResultDto {
  /** Whether the mail server accepted the mail. @example false */
  ok: boolean;

  /** Recipient of the mail. @example "ada@example.com" */
  to: string;

  /** Sender of all mails: `mail_from` of the settings, otherwise MAIL_FROM. @example "Chat <no-reply@example.com>" */
  sender: string;

  /** `log`: no mail server is configured, so the mail is only logged. @example "server" */
  @ApiProperty({ enum: ['server', 'log'] })
  delivery: 'server' | 'log';

  /** Why the mail was not accepted. Null if it was. @example "login_refused" */
  @ApiProperty({ enum: MAIL_FAILURES, nullable: true, example: 'login_refused' })
  reason: MailFailure | null;

  /** The mail server's reply code. Null if there was none, or if the mail was accepted. @example 535 */
  status: number | null;

  /**
   * The error message of the mail server or the system. Null if the mail was accepted.
   * @example "535 5.7.8 Authentication failed"
   */
  message: string | null;
}
