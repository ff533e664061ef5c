import { setMaxListeners } from 'node:events';
import { setImmediate as yieldToEvents, setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { BackgroundLoop } from '../../../common/background/background-loop';
import { HeldLeases } from '../../../common/background/held-leases';
import { Lifecycle } from '../../../common/lifecycle';
import { BackgroundWork } from '../../../database/background-work';
import { SharedClock } from '../../../database/shared-clock';
import { WebhookOutbox } from '../outbox/webhook-outbox';
import { DeliveryAttempt } from './delivery-attempt';
import { ClaimedDelivery, DeliveryClaims } from './delivery-claims';
import { DeliveryResults } from './delivery-results';
import { ConcurrencyLimiter } from './fair-queue';
import { FAN_OUT_BATCH, WebhookFanOut } from './webhook-fan-out';

/** How long a stopping process waits for running attempts. It interrupts the rest, and another process repeats them. */
const SHUTDOWN_MILLISECONDS = 5_000;

/** Most attempts started per second. User requests have priority over a long backlog. */
const STARTS_PER_SECOND = 1_200;

/** Most attempts without a stored result. No further attempts start while the database cannot keep up. */
const MOST_UNSTORED = 512;

/** Shortest time between two steps, so that events arriving in between share statements. */
const STEP_MILLISECONDS = 25;

/** How much lost time may be caught up. Timers are coarse, and transactions run between the starts. */
const LONGEST_CATCH_UP_MILLISECONDS = 100;

/**
 * Delivers due events at least once. `step` and `deliver` below show the stages of an event from the outbox to its
 * receiver: fan-out, claim, attempt, stored result. docs/webhooks.md describes the whole flow.
 *
 * An attempt is repeated only if the process dies, or the database is unavailable until the lease expires, between the
 * receiver's response and the storing of the result.
 */
@Injectable()
export class WebhookWorker {
  private readonly logger = new Logger(WebhookWorker.name);
  private readonly underWay = new Map<number, Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly loop: BackgroundLoop;
  /** When the next attempt may start, in milliseconds of the monotonic clock. */
  private nextStartAt = 0;
  /** When the last step started, by the same clock. */
  private steppedAt = -Infinity;

  constructor(
    private readonly fanOut: WebhookFanOut,
    private readonly claims: DeliveryClaims,
    private readonly attempts: DeliveryAttempt,
    private readonly results: DeliveryResults,
    private readonly limiter: ConcurrencyLimiter,
    private readonly clock: SharedClock,
    outbox: WebhookOutbox,
    background: BackgroundWork,
    lifecycle: Lifecycle,
    leases: HeldLeases,
  ) {
    leases.add('webhooks', () => this.underWay.size > 0);
    // Every running attempt listens.
    setMaxListeners(0, this.stopping.signal);
    this.loop = background.add({
      step: () => this.step(),
      onError: (error) => this.logger.warn({ error }, 'The webhook deliveries could not be worked on.'),
    });
    outbox.onRecorded(() => this.wake());
    lifecycle.onDrain(
      () => this.finish(),
      () => (this.underWay.size === 0 ? null : `webhooks under way (${SHUTDOWN_MILLISECONDS / 1_000} s at most)`),
    );
  }

  /** Starts a step now. */
  wake(): void {
    this.loop.wake();
  }

  /** Returns the milliseconds until a delivery is due, or null if none is scheduled. */
  private async step(): Promise<number | null> {
    await this.untilNextStep();
    const dispatched = await this.fanOut.dispatch();
    if (this.limiter.free === 0 || this.underWay.size >= MOST_UNSTORED) {
      return null;
    }
    const { claimed, nextDueAt } = await this.claims.claim();
    for (const delivery of claimed) {
      this.begin(delivery);
      await this.untilNextStart();
    }
    if (dispatched === FAN_OUT_BATCH || claimed.length > 0) {
      return 0;
    }
    return nextDueAt && Math.max(1, nextDueAt.getTime() - this.clock.now().getTime());
  }

  private begin(claimed: ClaimedDelivery): void {
    const { id } = claimed.delivery;
    // If the lease expired while the attempt is still running here, no second attempt starts.
    if (!this.underWay.has(id)) {
      this.underWay.set(id, this.deliver(claimed));
    }
  }

  private async deliver(claimed: ClaimedDelivery): Promise<void> {
    const { id, endpointId } = claimed.delivery;
    this.limiter.begin(endpointId);
    const result = await this.attempts.make(claimed, this.stopping.signal);
    const isSuccess = result.outcome === 'succeeded';
    if (isSuccess) {
      this.limiter.end(endpointId, true, result.durationMilliseconds);
    }
    await this.results.store(result, this.stopping.signal);
    if (!isSuccess) {
      // Only after it is stored, because the result may pause or disable the endpoint.
      const isConclusive = result.outcome !== 'interrupted' && result.outcome !== 'refused';
      this.limiter.end(endpointId, isConclusive ? false : null, result.durationMilliseconds);
    }
    this.underWay.delete(id);
    this.wake();
  }

  private async untilNextStep(): Promise<void> {
    const wait = this.steppedAt + STEP_MILLISECONDS - performance.now();
    if (wait > 0) {
      await delay(wait);
    }
    this.steppedAt = performance.now();
  }

  /** Spreads the starts of attempts evenly, so that a backlog leaves time on the event loop between two attempts. */
  private async untilNextStart(): Promise<void> {
    const now = performance.now();
    this.nextStartAt = Math.max(this.nextStartAt + 1_000 / STARTS_PER_SECOND, now - LONGEST_CATCH_UP_MILLISECONDS);
    if (this.nextStartAt > now) {
      await delay(this.nextStartAt - now);
    } else {
      await yieldToEvents();
    }
  }

  private async finish(): Promise<void> {
    const timer = setTimeout(() => this.stopping.abort(), SHUTDOWN_MILLISECONDS);
    // The last step may still start attempts.
    await this.loop.stop();
    await Promise.all(this.underWay.values());
    clearTimeout(timer);
  }
}
