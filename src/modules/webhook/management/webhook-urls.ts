import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ForbiddenTargetError } from '../../../integrations/outbound-http/forbidden-target.error';
import { TargetGuard } from '../../../integrations/outbound-http/target-guard';
import { WebhookUrlForbiddenError } from '../webhook.errors';

/** How long a name may take to be resolved before the URL is taken on trust; every attempt checks it again. */
const PATIENCE_MILLISECONDS = 2_000;

/** Refuses URLs that deliveries would be refused at. */
@Injectable()
export class WebhookUrls {
  constructor(private readonly guard: TargetGuard) {}

  /**
   * A name that does not exist yet is no fault: it may exist when the first event is sent.
   *
   * @throws WebhookUrlForbiddenError
   */
  async assertAllowed(url: string): Promise<void> {
    const timeout = new AbortController();
    try {
      await Promise.race([
        this.guard.addressesOf(new URL(url)),
        delay(PATIENCE_MILLISECONDS, undefined, { signal: timeout.signal }),
      ]);
    } catch (error) {
      if (!(error instanceof ForbiddenTargetError)) {
        throw error;
      }
      if (error.reason !== 'unresolved') {
        throw new WebhookUrlForbiddenError({ field: 'url', reason: error.reason });
      }
    } finally {
      timeout.abort();
    }
  }
}
