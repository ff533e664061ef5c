import type { Language } from '../../common/i18n/language';
import type { Mailbox } from './mailbox';

/**
 * How many mails are sent in parallel, so a slow one does not delay the others. An adapter can send so many at a time.
 */
export const MAILS_AT_ONCE = 5;

/** A mail ready to go. */
export interface MailMessage {
  /** The same at every attempt, so a receiver recognises a repeated mail; without angle brackets. */
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
 * The way out for mails; injected by this type. An adapter is one class, and it passes the contract test
 * `test/contract/mail-transport.contract.spec.ts`.
 */
export abstract class MailTransport {
  /** Whether mails are only shown in the log, because there is nothing that could send them. */
  readonly isOnlyLog: boolean = false;

  /**
   * Hands the mail over; resolves once the receiving side has taken responsibility for it.
   *
   * @throws MailDeliveryError saying whether a repetition makes sense.
   */
  abstract send(message: MailMessage): Promise<void>;

  /**
   * Asks whether mail can be handed over at the moment, without sending any.
   *
   * @throws MailDeliveryError of kind `unreachable` when it cannot.
   */
  abstract verify(): Promise<void>;
}
