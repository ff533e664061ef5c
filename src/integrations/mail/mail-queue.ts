import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { Clock } from '../../common/clock';
import type { Language } from '../../common/i18n/language';
import { DAY_MILLISECONDS } from '../../common/time';
import { Database } from '../../database/database';
import { SharedClock } from '../../database/shared-clock';
import { MailAvailability } from './mail-availability';
import { MailCipher } from './mail-cipher';
import type { MailDefinition } from './mail-definition';
import { MailWorker } from './mail-worker';
import { QueuedMailStore } from './queued-mail.store';

/** How long the worker tries to send a mail. An invitation is valid for up to a year, and its mail is not news then. */
const LONGEST_WAIT_MILLISECONDS = 3 * DAY_MILLISECONDS;

/** No address below this name exists (RFC 6761 §6.4). Accounts without an owner have one. */
const NOWHERE = '.invalid';

export interface MailOrder<Values extends object> {
  mail: MailDefinition<Values>;
  /** The stored address of the recipient: one plain, validated address. */
  to: string;
  language: Language;
  values: Values;
  /** When the mail becomes useless, e.g. with its code; at most, and by default, three days from now. */
  expiresAt?: Date;
  /** At most 191 characters. A mail that still waits under the same key is replaced. */
  dedupeKey?: string;
}

/** Accepts mails from the rest of the service. */
@Injectable()
export class MailQueue {
  constructor(
    private readonly database: Database,
    private readonly store: QueuedMailStore,
    private readonly worker: MailWorker,
    private readonly availability: MailAvailability,
    private readonly cipher: MailCipher,
    private readonly clock: Clock,
    private readonly shared: SharedClock,
  ) {}

  /**
   * Queues a mail in the caller's unit of work. The mail is sent right after the commit, and never without it. A mail
   * to an address that cannot exist is dropped.
   *
   * @example
   * await this.database.write(async (manager) => {
   *   await this.mailQueue.enqueue(manager, { mail: LOGIN_CODE, to, language, values, expiresAt });
   * });
   */
  async enqueue<Values extends object>(manager: EntityManager, order: MailOrder<Values>): Promise<void> {
    const { mail, to, language, values, expiresAt, dedupeKey = null } = order;
    if (to.endsWith(NOWHERE)) {
      return;
    }
    await this.store.add(manager, {
      kind: mail.kind,
      recipient: to,
      language,
      payload: this.cipher.encrypt(JSON.stringify(values)),
      dedupeKey,
      expiresAt: new Date(this.shared.now().getTime() + this.waitFor(expiresAt)),
    });
    this.database.onCommit(() => this.worker.wake());
  }

  /**
   * A duration in milliseconds, because the worker of another instance, whose clock may differ, decides whether a mail
   * has expired.
   */
  private waitFor(expiresAt: Date | undefined): number {
    const usefulFor = expiresAt ? expiresAt.getTime() - this.clock.now().getTime() : Infinity;
    return Math.min(usefulFor, LONGEST_WAIT_MILLISECONDS);
  }

  /**
   * Call it before you create a code for any recipient.
   *
   * @throws EmailSendFailedError while the mail server is down
   */
  assertAvailable(): Promise<void> {
    return this.availability.assertAvailable();
  }

  /**
   * The last known state, for the health report. It does not contact the server. `up` is false while the mail server is
   * down.
   */
  status(): { up: boolean } {
    return { up: !this.availability.isDown };
  }

  /** When the mail server was last checked; null before the first time, when nothing is known. */
  get askedAt(): Date | null {
    return this.availability.askedAt;
  }

  /** Without a mail server, mails appear only in the log. */
  get hasServer(): boolean {
    return this.availability.hasServer;
  }
}
