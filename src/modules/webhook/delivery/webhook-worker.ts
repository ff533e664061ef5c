import { setMaxListeners } from 'node:events';
import { setImmediate as yieldToEvents, setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { BackgroundLoop } from '../../../common/background/background-loop';
import { Lifecycle } from '../../../common/lifecycle';
import { BackgroundWork } from '../../../database/background-work';
import { SharedClock } from '../../../database/shared-clock';
import { WebhookOutbox } from '../outbox/webhook-outbox';
import { DeliveryAttempt } from './delivery-attempt';
import { ClaimedDelivery, DeliveryClaims } from './delivery-claims';
import { DeliveryResults } from './delivery-results';
import { ConcurrencyLimiter } from './fair-queue';
import { FAN_OUT_BATCH, WebhookFanOut } from './webhook-fan-out';

/** How long a stopping process waits for attempts under way; the rest are interrupted and made by the next process. */
const SHUTDOWN_MILLISECONDS = 5_000;

/** Attempts begun a second at most: requests of users come first, and a long backlog is in no hurry. */
const STARTS_PER_SECOND = 1_200;

/** Attempts begun whose results are not stored: no more begin while the database keeps up with no more. */
const MOST_UNSTORED = 512;

/** Least time from one step to the next, so that what comes in between shares its statements. */
const STEP_MILLISECONDS = 25;

/** How much lost time is made up for: timers are coarse, and transactions lie between the starts. */
const LONGEST_CATCH_UP_MILLISECONDS = 100;

/**
 * Delivers what is due, each event at least once. This folder is the way of an event from the outbox to its receiver, and
 * `step` and `deliver` below are its stations: fanned out, claimed, attempted, stored. docs/webhooks.md shows the whole.
 *
 * An attempt is made twice only if the process dies, or the database stays away until the lease lapses, between the
 * receiver's yes and the storing of the result.
 */
@Injectable()
export class WebhookWorker {
  private readonly logger = new Logger(WebhookWorker.name);
  private readonly underWay = new Map<number, Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly loop: BackgroundLoop;
  /** When the next attempt may begin, in milliseconds of the monotonic clock. */
  private nextStartAt = 0;
  /** When the last step began, by the same clock. */
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
  ) {
    // Every attempt under way listens.
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

  /** Looks for events and due deliveries now. */
  wake(): void {
    this.loop.wake();
  }

  /** Answers the milliseconds until something falls due; null when nothing is known to. */
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
    // Where the lease lapsed while the attempt still runs here, that attempt goes on alone.
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
      // Not before it is stored, because it may hold the endpoint back or switch it off.
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

  /** Spreads the starts of attempts evenly, so that a backlog leaves room on the event loop between any two. */
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
    // The last step may still begin attempts.
    await this.loop.stop();
    await Promise.all(this.underWay.values());
    clearTimeout(timer);
  }
}
