import { Injectable } from '@nestjs/common';
import { LoggingConfig } from '../../../common/logging/logging.config';
import { print } from '../../../common/logging/print';
import { MailMessage, MailTransport } from '../mail-transport';

/**
 * Prints mails, including codes, instead of sending them: for development without a mail server. Printing is the
 * delivery here, so it does not depend on LOG_LEVEL.
 */
@Injectable()
export class LogTransport extends MailTransport {
  override readonly isOnlyLog = true;

  constructor(private readonly logging: LoggingConfig) {
    super();
  }

  override send({ to, subject, text }: MailMessage): Promise<void> {
    const msg = `SMTP_URL is not set, so this mail is only shown here.\nTo: ${to}\nSubject: ${subject}\n\n${text}`;
    print(this.logging, msg, { context: 'Mail', msg });
    return Promise.resolve();
  }

  override verify(): Promise<void> {
    return Promise.resolve();
  }
}
