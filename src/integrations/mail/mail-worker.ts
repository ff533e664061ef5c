import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundLoop } from '../../common/background/background-loop';
import { Lifecycle } from '../../common/lifecycle';
import { counter, gauge } from '../../common/metrics/metrics';
import { withTimeout } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { SharedClock } from '../../database/shared-clock';
import { MailAvailability, PROBE_INTERVAL_MILLISECONDS } from './mail-availability';
import { MailCipher } from './mail-cipher';
import { MailDeliveryError } from './mail-delivery.error';
import { MailRenderer } from './mail-renderer';
import { MailSender } from './mail-sender';
import { MAILS_AT_ONCE, MailTransport } from './mail-transport';
import type { Mailbox } from './mailbox';
import { QueuedMailEntity } from './queued-mail.entity';
import { type DroppedMail, QueuedMailStore } from './queued-mail.store';

/** Milliseconds to wait after the first, second … failed attempt. The last value repeats until the mail expires. */
const RETRY_PAUSES = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000];

/**
 * How long to wait after an attempt that did not reach the server. It is short, because no mail is claimed until the
 * server is back.
 */
const UNREACHABLE_PAUSE_MILLISECONDS = 1_000;

/** How long a stopping process waits for mails that are being sent. The next process sends interrupted ones. */
const SHUTDOWN_MILLISECONDS = 10_000;

/**
 * Sends queued mails, each at least once. `step` and `deliver` below take a mail through its stages: claimed, rendered,
 * sent, removed. The webhook worker has the same structure, but also an order and a rate for each receiver.
 *
 * A mail is sent twice only if, between the mail server's acceptance and the removal of the row, the process dies or
 * the database is unavailable until the claim expires.
 */
@Injectable()
export class MailWorker implements OnApplicationBootstrap {
  private readonly logger = new Logger(MailWorker.name);
  private readonly failed = counter(
    'mail_failures_total',
    'Mails that were not sent at an attempt, or had expired',
    ['consequence'],
    [{ consequence: 'dropped' }, { consequence: 'repeated' }],
  );
  private readonly sending = new Set<Promise<void>>();
  private readonly sentIds = new Set<number>();
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly store: QueuedMailStore,
    private readonly availability: MailAvailability,
    private readonly transport: MailTransport,
    private readonly senders: MailSender,
    private readonly renderer: MailRenderer,
    private readonly cipher: MailCipher,
    private readonly clock: SharedClock,
    background: BackgroundWork,
    lifecycle: Lifecycle,
  ) {
    this.loop = background.add({
      step: () => this.step(),
      onError: (error) => this.logger.warn({ error }, 'The mail queue could not be worked on.'),
    });
    lifecycle.onDrain(
      () => this.finish(),
      () => (this.sending.size === 0 ? null : `mails under way (${SHUTDOWN_MILLISECONDS / 1_000} s at most)`),
    );
    gauge('mail_queue_size', 'Mails that wait or are being sent', () => store.count());
    gauge('mail_server_up', 'Whether the mail server answers, as far as is known', () => Number(!availability.isDown));
  }

  onApplicationBootstrap(): void {
    void this.availability.probe();
  }

  /** Checks the queue now. */
  wake(): void {
    this.loop.wake();
  }

  /** Returns the milliseconds until the next mail is due; null if none is known. */
  private async step(): Promise<number | null> {
    await this.removeSent();
    if (this.availability.isDown) {
      this.reportExpired(await this.store.removeExpired());
      // This does not wait for the sending, because a silent server may take long, and a shutdown waits for this step.
      void this.availability.probe().then((isUp) => isUp && this.wake());
      return PROBE_INTERVAL_MILLISECONDS;
    }
    const free = MAILS_AT_ONCE - this.sending.size;
    if (free === 0) {
      return null;
    }
    // Before any mail is claimed: while the settings cannot be read, the mails wait, and none counts as attempted.
    const sender = await this.senders.current();
    const { mails, nextDueAt, expired } = await this.store.claim(free);
    this.reportExpired(expired);
    for (const mail of mails) {
      this.begin(mail, sender);
    }
    return nextDueAt && Math.max(0, nextDueAt.getTime() - this.clock.now().getTime());
  }

  private begin(mail: QueuedMailEntity, sender: Mailbox): void {
    const delivery = this.deliver(mail, sender)
      .catch((error: unknown) => this.logger.warn({ mail_id: mail.id, error }, 'A mail waits until its claim lapses.'))
      .finally(() => {
        this.sending.delete(delivery);
        this.wake();
      });
    this.sending.add(delivery);
  }

  private async deliver(mail: QueuedMailEntity, sender: Mailbox): Promise<void> {
    try {
      const message = this.renderer.render({ ...mail, values: this.valuesOf(mail) }, sender);
      await this.transport.send(message);
    } catch (error) {
      return this.handleFailure(mail, error);
    }
    this.availability.reportContact();
    this.sentIds.add(mail.id);
    await this.removeSent();
  }

  private valuesOf({ payload }: QueuedMailEntity): Record<string, unknown> {
    if (!this.cipher.canDecrypt(payload)) {
      throw new Error('The mail cannot be decrypted. Was JWT_SECRET changed since it was queued?');
    }
    return JSON.parse(this.cipher.decrypt(payload)) as Record<string, unknown>;
  }

  /** Keeps the ids until the rows are deleted, so that no mail is sent twice if the database is briefly unavailable. */
  private async removeSent(): Promise<void> {
    const ids = [...this.sentIds];
    if (ids.length > 0) {
      await this.store.remove(ids);
      ids.forEach((id) => this.sentIds.delete(id));
    }
  }

  private async handleFailure(mail: QueuedMailEntity, error: unknown): Promise<void> {
    const fault = error instanceof MailDeliveryError ? error.fault : 'permanent';
    if (fault === 'unreachable') {
      this.availability.reportUnreachable(error);
    }
    const pause = fault === 'unreachable' ? UNREACHABLE_PAUSE_MILLISECONDS : retryPause(mail.attempts);
    const dueAt = new Date(this.clock.now().getTime() + pause);
    const isLost = fault === 'permanent' || dueAt >= mail.expiresAt;
    const facts = { mail_id: mail.id, kind: mail.kind, error };
    this.logger.warn(facts, isLost ? 'A mail was dropped.' : 'A mail could not be sent and will be tried again.');
    this.failed.inc({ consequence: isLost ? 'dropped' : 'repeated' });
    await (isLost ? this.store.remove([mail.id]) : this.store.postpone(mail, dueAt));
  }

  private reportExpired(mails: readonly DroppedMail[]): void {
    for (const { id, kind } of mails) {
      this.logger.warn({ mail_id: id, kind }, 'A mail was dropped: it had expired before it could be sent.');
      this.failed.inc({ consequence: 'dropped' });
    }
  }

  private async finish(): Promise<void> {
    // The last step may still start a delivery.
    const sent = this.loop.stop().then(() => Promise.all(this.sending));
    await withTimeout(sent, SHUTDOWN_MILLISECONDS, () => undefined);
  }
}

function retryPause(attempts: number): number {
  return RETRY_PAUSES[Math.min(attempts, RETRY_PAUSES.length) - 1] ?? 0;
}
