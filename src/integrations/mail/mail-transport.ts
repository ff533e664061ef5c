import type { Language } from '../../common/i18n/language';
import type { Mailbox } from './mailbox';

/**
 * How many mails are sent in parallel, so that a slow one does not delay the others. An adapter must support this
 * number.
 */
export const MAILS_AT_ONCE = 5;

/** A mail ready to go. */
export interface MailMessage {
  /** The same at every attempt, so that a recipient recognises a repeated mail; without angle brackets. */
  messageId: string;
  from: Mailbox;
  /** One plain address. */
  to: string;
  language: Language;
  subject: string;
  html: string;
  text: string;
}

/**
 * Sends mails; injected by this type. An adapter is one class, and it passes the contract test
 * `test/contract/mail-transport.contract.spec.ts`.
 */
export abstract class MailTransport {
  /** Whether mails are only logged, because nothing could send them. */
  readonly isOnlyLog: boolean = false;

  /**
   * Sends the mail. Resolves once the receiving side has taken responsibility for it.
   *
   * @throws MailDeliveryError with whether a retry makes sense
   */
  abstract send(message: MailMessage): Promise<void>;

  /**
   * Checks whether mail can be sent at the moment, without sending any.
   *
   * @throws MailDeliveryError of kind `unreachable` if it cannot
   */
  abstract verify(): Promise<void>;
}
