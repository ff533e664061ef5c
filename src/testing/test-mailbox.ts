import { EventEmitter, once } from 'node:events';
import { MailDeliveryError, type MailDeliveryFault } from '../integrations/mail/mail-delivery.error';
import type { MailMessage, MailTransport } from '../integrations/mail/mail-transport';

const LONGEST_WAIT_MILLISECONDS = 30_000;

/** All mails that the service sends, instead of a mail server. */
export class TestMailbox {
  /** Since the start or the last `clear()`, oldest first. */
  readonly mails: MailMessage[] = [];
  private readonly returned = new WeakSet<MailMessage>();
  private readonly arrivals = new EventEmitter().setMaxListeners(0);
  private fault: MailDeliveryFault | undefined;

  /** Receives the mails of this transport. */
  constructor(transport: MailTransport) {
    transport.send = (mail) => this.receive(mail);
    transport.verify = () => (this.fault === 'unreachable' ? this.refusal(this.fault) : Promise.resolve());
  }

  /**
   * The oldest matching mail to this address that was not returned before; waits until it arrives.
   *
   * @throws Error after `milliseconds` without one, with a list of the received mails
   */
  async waitForMail(
    address: string,
    fits: (mail: MailMessage) => boolean = () => true,
    milliseconds = LONGEST_WAIT_MILLISECONDS,
  ): Promise<MailMessage> {
    const signal = AbortSignal.timeout(milliseconds);
    for (;;) {
      const mail = this.mailsTo(address).find((one) => !this.returned.has(one) && fits(one));
      if (mail) {
        this.returned.add(mail);
        return mail;
      }
      try {
        await once(this.arrivals, 'mail', { signal });
      } catch (error) {
        const arrived = this.mails.map(({ to, subject }) => `${to}: ${subject}`);
        throw new Error(`no such mail to ${address}; arrived: ${arrived.join('; ') || 'nothing'}`, { cause: error });
      }
    }
  }

  /** All mails to this address, returned before or not. */
  mailsTo(address: string): MailMessage[] {
    return this.mails.filter(({ to }) => to.toLowerCase() === address.toLowerCase());
  }

  /** Forgets the mails that arrived. */
  clear(): void {
    this.mails.length = 0;
  }

  /** Refuses all mails from now on with this fault; undefined accepts them again. */
  refuse(fault: MailDeliveryFault | undefined): void {
    this.fault = fault;
  }

  private receive(mail: MailMessage): Promise<void> {
    if (this.fault !== undefined) {
      return this.refusal(this.fault);
    }
    this.mails.push(mail);
    this.arrivals.emit('mail');
    return Promise.resolve();
  }

  private refusal(fault: MailDeliveryFault): Promise<void> {
    return Promise.reject(new MailDeliveryError(fault, new Error('The test refuses mails.')));
  }
}
