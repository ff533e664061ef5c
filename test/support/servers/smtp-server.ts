import { EventEmitter, once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { freePort } from './free-port';

/** A mail as it arrived: its parsed content, and the recipients named to the server. */
export interface ReceivedMail extends Email {
  recipients: string[];
}

const defaultWaitMilliseconds = 120_000;

/** A real SMTP server that keeps every mail and can fail on demand. */
export class SmtpTestServer {
  /** All mails since the start or the last `clear()`, oldest first. */
  readonly mails: ReceivedMail[] = [];
  private readonly handedOut = new WeakSet<ReceivedMail>();
  private readonly arrivals = new EventEmitter().setMaxListeners(0);
  private rejection: { responseCode: number; text: string } | undefined;
  private senderRejection: { responseCode: number; text: string } | undefined;
  private delayMilliseconds = 0;
  private readonly held = new Set<AbortController>();
  private server: SMTPServer | undefined;
  private boundPort = 0;

  /** Its port on 127.0.0.1, unchanged by `refuseConnections()` and `acceptConnections()`. */
  get port(): number {
    return this.boundPort;
  }

  /** Value for SMTP_URL. */
  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /**
   * The oldest matching mail to this address that was not returned before; waits until it arrives.
   *
   * @param predicate further condition on the mail
   * @throws Error after `milliseconds` without one, with a list of the received mails
   */
  async waitForMail(
    address: string,
    predicate: (mail: ReceivedMail) => boolean = () => true,
    milliseconds = defaultWaitMilliseconds,
  ): Promise<ReceivedMail> {
    const signal = AbortSignal.timeout(milliseconds);
    for (;;) {
      const mail = this.mailsTo(address).find((candidate) => !this.handedOut.has(candidate) && predicate(candidate));
      if (mail) {
        this.handedOut.add(mail);
        return mail;
      }
      try {
        await once(this.arrivals, 'mail', { signal });
      } catch (error) {
        const arrived = this.mails.map(({ recipients, subject }) => `${recipients.join(', ')}: ${subject}`);
        throw new Error(`no such mail to ${address}; arrived: ${arrived.join('; ') || 'nothing'}`, { cause: error });
      }
    }
  }

  /** All mails to this address, returned before or not. */
  mailsTo(address: string): ReceivedMail[] {
    const wanted = address.toLowerCase();
    return this.mails.filter(({ recipients }) => recipients.some((recipient) => recipient.toLowerCase() === wanted));
  }

  /** Forgets the mails that arrived. */
  clear(): void {
    this.mails.length = 0;
  }

  /** Answers every recipient with this failure: 4xx is temporary, 5xx final. */
  reject(responseCode = 550, text = 'mailbox unavailable'): void {
    this.rejection = { responseCode, text };
  }

  /** Answers every sender with this failure. */
  rejectSenders(responseCode = 553, text = 'sender not allowed'): void {
    this.senderRejection = { responseCode, text };
  }

  /** Delays each mail by this time before it is accepted. */
  slowDown(milliseconds: number): void {
    this.delayMilliseconds = milliseconds;
  }

  /** Resets `reject()`, `rejectSenders()` and `slowDown()`; delayed mails are refused. */
  behave(): void {
    this.rejection = undefined;
    this.senderRejection = undefined;
    this.delayMilliseconds = 0;
    this.refuseHeldMails();
  }

  /** Stops: open connections are closed and new ones are refused. Received mails are kept. */
  async refuseConnections(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    this.refuseHeldMails();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Listens again, on the same port. */
  async acceptConnections(): Promise<void> {
    if (this.server) return;
    this.boundPort ||= await freePort();
    const server = this.makeServer();
    this.server = server;
    server.listen(this.boundPort, '127.0.0.1');
    await once(server.server, 'listening');
  }

  /** Stops it. */
  async stop(): Promise<void> {
    await this.refuseConnections();
  }

  private makeServer(): SMTPServer {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 50,
      onMailFrom: (_address, _session, callback) => callback(errorOf(this.senderRejection)),
      onRcptTo: (_address, _session, callback) => callback(errorOf(this.rejection)),
      onData: (stream, session, callback) => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        this.receive(stream, recipients).then(
          () => callback(),
          (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
        );
      },
    });
    // A disconnected client is normal in these tests; an unhandled event would stop the process.
    server.on('error', () => undefined);
    return server;
  }

  private async receive(stream: NodeJS.ReadableStream, recipients: string[]): Promise<void> {
    const content = await buffer(stream);
    if (this.delayMilliseconds > 0) await this.holdBack(this.delayMilliseconds);
    this.mails.push({ ...(await PostalMime.parse(content)), recipients });
    this.arrivals.emit('mail');
  }

  private async holdBack(milliseconds: number): Promise<void> {
    const hold = new AbortController();
    this.held.add(hold);
    try {
      await delay(milliseconds, undefined, { signal: hold.signal });
    } finally {
      this.held.delete(hold);
    }
  }

  private refuseHeldMails(): void {
    for (const hold of this.held) hold.abort();
  }
}

function errorOf(rejection: { responseCode: number; text: string } | undefined): Error | null {
  if (!rejection) return null;
  return Object.assign(new Error(rejection.text), { responseCode: rejection.responseCode });
}

/** Starts an SMTP server on a free port. */
export async function startSmtpServer(): Promise<SmtpTestServer> {
  const server = new SmtpTestServer();
  await server.acceptConnections();
  return server;
}
