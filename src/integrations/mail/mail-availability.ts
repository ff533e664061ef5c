import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { EmailSendFailedError } from './mail.errors';
import { MailTransport } from './mail-transport';

/** How often a mail server that is down is asked whether it is back. */
export const PROBE_INTERVAL_MILLISECONDS = 5_000;

/** How long a sign of life of the mail server counts. */
const FRESH_MILLISECONDS = 30_000;

/** How long a caller waits for a check of the mail server before it is given the benefit of the doubt. */
const PATIENCE_MILLISECONDS = 3_000;

/** What this process knows of the mail server. */
@Injectable()
export class MailAvailability {
  private readonly logger = new Logger(MailAvailability.name);
  private down = false;
  private lastContact = Number.NEGATIVE_INFINITY;
  private probing: Promise<boolean> | undefined;

  constructor(
    private readonly transport: MailTransport,
    private readonly clock: Clock,
  ) {}

  get isDown(): boolean {
    return this.down;
  }

  /**
   * Passes when mail goes out as far as is known. After a quiet time the server is asked first, once for all callers;
   * nothing here depends on who the mail is for.
   *
   * @throws EmailSendFailedError while the mail server is down.
   */
  async assertAvailable(): Promise<void> {
    if (!this.down && this.clock.now().getTime() - this.lastContact > FRESH_MILLISECONDS) {
      await this.probeForAWhile();
    }
    if (this.down) {
      throw new EmailSendFailedError(PROBE_INTERVAL_MILLISECONDS / 1_000);
    }
  }

  /** Asks the mail server whether it is there; callers that come meanwhile share the answer. Never rejects. */
  probe(): Promise<boolean> {
    this.probing ??= this.ask().finally(() => (this.probing = undefined));
    return this.probing;
  }

  reportContact(): void {
    if (this.down) {
      this.logger.log('The mail server is back.');
    }
    this.down = false;
    this.lastContact = this.clock.now().getTime();
  }

  reportUnreachable(error: unknown): void {
    if (!this.down) {
      this.logger.error(`The mail server is down: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.down = true;
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

  private async probeForAWhile(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MILLISECONDS).unref();
    });
    await Promise.race([this.probe(), patience]);
    clearTimeout(timer);
  }
}
