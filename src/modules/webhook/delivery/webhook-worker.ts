import { setMaxListeners } from 'node:events';
import { Injectable, Logger } from '@nestjs/common';
import { BackgroundLoop } from '../../../common/background/background-loop';
import { Clock } from '../../../common/clock';
import { Lifecycle } from '../../../common/lifecycle';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { DeliveryAttempt } from './delivery-attempt';
import { DeliveryClaims } from './delivery-claims';
import { DeliveryResults } from './delivery-results';
import type { ClaimedDelivery } from './delivery-types';
import { EndpointPace } from './endpoint-pace';
import { ResultBuffer } from './result-buffer';
import { StartPacer } from './start-pacer';
import { FAN_OUT_BATCH, WebhookFanOut } from './webhook-fan-out';

/** How long a stopping process waits for attempts under way; the rest are interrupted and made by the next process. */
const FAREWELL_MILLISECONDS = 5_000;

/**
 * Delivers what is due, each event at least once. An attempt is made twice only if the process dies, or the database
 * stays away until the lease lapses, between the receiver's yes and the writing of the result.
 */
@Injectable()
export class WebhookWorker {
  private readonly logger = new Logger(WebhookWorker.name);
  private readonly underWay = new Map<number, Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly pacer = new StartPacer();
  private readonly buffer: ResultBuffer;
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly database: Database,
    private readonly fanOut: WebhookFanOut,
    private readonly claims: DeliveryClaims,
    private readonly attempts: DeliveryAttempt,
    private readonly pace: EndpointPace,
    private readonly clock: Clock,
    results: DeliveryResults,
    background: BackgroundWork,
    lifecycle: Lifecycle,
  ) {
    this.buffer = new ResultBuffer(
      (batch) => results.write(batch),
      (error) => this.logger.warn(`Results of webhook deliveries could not be written: ${String(error)}`),
      this.stopping.signal,
    );
    // Every attempt under way listens.
    setMaxListeners(0, this.stopping.signal);
    this.loop = background.add({
      step: () => this.step(),
      onError: (error) => this.logger.warn(`The webhook deliveries could not be worked on: ${String(error)}`),
    });
    lifecycle.onDrain(
      () => this.finish(),
      () => (this.underWay.size === 0 ? null : `webhooks under way (${FAREWELL_MILLISECONDS / 1_000} s at most)`),
    );
  }

  /** Looks for events and due deliveries now. */
  wake(): void {
    this.loop.wake();
  }

  private async finish(): Promise<void> {
    const timer = setTimeout(() => this.stopping.abort(), FAREWELL_MILLISECONDS);
    // The last step may still begin attempts.
    await this.loop.stop();
    await Promise.all(this.underWay.values());
    clearTimeout(timer);
  }

  private async step(): Promise<number | null> {
    const dispatched = await this.fanOut.dispatch();
    if (this.pace.free === 0) {
      return null;
    }
    const { claimed, nextDueAt } = await this.claims.claim();
    for (const delivery of claimed) {
      this.begin(delivery);
      await this.pacer.next();
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
    this.pace.begin(endpointId);
    const result = await this.attempts.make(claimed, this.stopping.signal);
    await this.buffer.add(result);
    const isTelling = result.outcome !== 'interrupted' && result.outcome !== 'refused';
    this.pace.end(endpointId, isTelling ? result.outcome === 'succeeded' : null, result.durationMilliseconds);
    this.underWay.delete(id);
    this.wake();
  }
}
