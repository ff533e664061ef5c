import { Injectable } from '@nestjs/common';
import { MailerService } from '@nestjs-modules/mailer';
import { MailDeliveryError, MailDeliveryFault } from '../mail-delivery.error';
import { MailMessage, MailTransport } from '../mail-transport';

/** The members that nodemailer adds to its errors. */
interface SmtpError {
  /** nodemailer's own code, e.g. ECONNECTION. */
  code?: string;
  /** The server's reply code (RFC 5321 §4.2.3). */
  responseCode?: number;
  /** The SMTP command that failed. */
  command?: string;
}

const SERVER_FAULTS = new Set([
  'EAUTH',
  'ECONNECTION',
  'EDNS',
  'ENOAUTH',
  'EOAUTH2',
  'EPROTOCOL',
  'EPROXY',
  'EREQUIRETLS',
  'ESOCKET',
  'ETIMEDOUT',
  'ETLS',
]);

const SERVICE_CLOSING = 421;

/** Sends over SMTP, through the pooled connections of @nestjs-modules/mailer. */
@Injectable()
export class SmtpTransport extends MailTransport {
  constructor(private readonly mailer: MailerService) {
    super();
  }

  override async send({ messageId, from, to, language, subject, html, text }: MailMessage): Promise<void> {
    try {
      await this.mailer.sendMail({
        from,
        // As an object, the address is used unchanged and never parsed as a list of addresses.
        to: { name: '', address: to },
        messageId: `<${messageId}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
        subject,
        html,
        text,
        headers: {
          // RFC 3834: prevents automatic replies such as vacation notices.
          'Auto-Submitted': 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
          'Content-Language': language,
        },
      });
    } catch (error) {
      throw new MailDeliveryError(faultOf(error as SmtpError), error);
    }
  }

  override async verify(): Promise<void> {
    try {
      await this.mailer.getTransporter().verify();
    } catch (error) {
      throw new MailDeliveryError('unreachable', error);
    }
  }
}

function faultOf({ code, responseCode = 0, command }: SmtpError): MailDeliveryFault {
  if (responseCode === SERVICE_CLOSING || (code !== undefined && SERVER_FAULTS.has(code))) {
    return 'unreachable';
  }
  // The operator can fix a refused sender. A refused recipient stays refused.
  return responseCode >= 500 && command !== 'MAIL FROM' ? 'permanent' : 'temporary';
}
