import { Address } from '../../config/address';
import { Rule } from '../../config/environment-rules';
import { RunMode } from '../../config/run-mode';
import { type Mailbox, parseMailbox } from './mailbox';

const SMTP_DESCRIPTION = 'smtp://user:password@host:587 or smtps://user:password@host:465';

const DEFAULT_SENDER = 'no-reply@localhost';

/** The mail server and the sender. */
export class MailConfig extends RunMode {
  /**
   * `smtp://user:password@host:587` (STARTTLS where offered) or `smtps://…:465` (TLS from the start). Reserved
   * characters of the password are percent-encoded. Without it mails are printed to the log, which production refuses.
   */
  @Rule<MailConfig>(
    ({ SMTP_URL, isProduction }) => SMTP_URL !== null || !isProduction,
    `SMTP_URL must be ${SMTP_DESCRIPTION}; production needs it`,
  )
  @Address({
    schemes: ['smtp', 'smtps'],
    description: SMTP_DESCRIPTION,
    takesPassword: true,
    path: /^\/?$/,
    parametersFault: () => null,
  })
  SMTP_URL: string | null = null;

  /** The default sender, which administrators can change: `Product <no-reply@example.com>` or the bare address. */
  @Rule<MailConfig>(
    ({ MAIL_FROM, isProduction }) => (MAIL_FROM === null ? !isProduction : parseMailbox(MAIL_FROM) !== null),
    'MAIL_FROM must be an address such as Product <no-reply@example.com>; production needs it',
  )
  MAIL_FROM: string | null = null;

  get sender(): Mailbox {
    const mailbox = parseMailbox(this.MAIL_FROM ?? DEFAULT_SENDER);
    if (!mailbox) {
      throw new Error('MAIL_FROM is not an address.');
    }
    return mailbox;
  }
}
