import { Injectable, Logger } from '@nestjs/common';
import { Attention } from '../../common/attention/attention';
import { Clock } from '../../common/clock';
import { withTimeout } from '../../common/time';
import { EmailSendFailedError } from './mail.errors';
import { MailTransport } from './mail-transport';

/** How often the service checks whether an unreachable mail server is available again. */
export const PROBE_INTERVAL_MILLISECONDS = 5_000;

/** How long the mail server counts as available after its last answer. */
const FRESH_MILLISECONDS = 30_000;

/** How long a caller waits for a check of the mail server. After that, the server is assumed to be available. */
const LONGEST_CHECK_MILLISECONDS = 3_000;

/** The state of the mail server as this process knows it. */
@Injectable()
export class MailAvailability {
  private readonly logger = new Logger(MailAvailability.name);
  private down = false;
  private downSince: Date | null = null;
  private lastContact = Number.NEGATIVE_INFINITY;
  private lastAttempt: Date | null = null;
  private probing: Promise<boolean> | undefined;

  constructor(
    private readonly transport: MailTransport,
    private readonly clock: Clock,
    attention: Attention,
  ) {
    attention.add(() => (this.down ? [{ kind: 'mail_down', since: this.downSince, count: 1, target: null }] : []));
  }

  get isDown(): boolean {
    return this.down;
  }

  /** When the mail server last answered, or failed to answer; null before the first time. */
  get askedAt(): Date | null {
    return this.lastAttempt;
  }

  /** Whether there is a mail server at all. */
  get hasServer(): boolean {
    return !this.transport.isOnlyLog;
  }

  /**
   * Resolves if the mail server is up as far as is known. After a quiet period it checks the server first, once for all
   * callers. The result does not depend on the recipient.
   *
   * @throws EmailSendFailedError while the mail server is down
   */
  async assertAvailable(): Promise<void> {
    if (!this.down && this.clock.now().getTime() - this.lastContact > FRESH_MILLISECONDS) {
      await withTimeout(this.probe(), LONGEST_CHECK_MILLISECONDS, () => undefined);
    }
    if (this.down) {
      throw new EmailSendFailedError(PROBE_INTERVAL_MILLISECONDS / 1_000);
    }
  }

  /** Checks whether the mail server answers. Concurrent callers share the result. Never rejects. */
  probe(): Promise<boolean> {
    this.probing ??= this.ask().finally(() => (this.probing = undefined));
    return this.probing;
  }

  reportContact(): void {
    if (this.down) {
      this.logger.log('The mail server is back.');
    }
    this.down = false;
    this.lastAttempt = this.clock.now();
    this.lastContact = this.lastAttempt.getTime();
  }

  reportUnreachable(error: unknown): void {
    if (!this.down) {
      this.logger.error({ error }, 'The mail server is down.');
      this.downSince = this.clock.now();
    }
    this.down = true;
    this.lastAttempt = this.clock.now();
  }

  private async ask(): Promise<boolean> {
    try {
      await this.transport.verify();
      this.reportContact();
    } catch (error) {
      this.reportUnreachable(error);
    }
    return !this.down;
  }
}
