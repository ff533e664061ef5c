import { Injectable } from '@nestjs/common';
import { withTimeout } from '../../../common/time';
import { ForbiddenTargetError } from '../../../integrations/outbound-http/target-guard';
import { TargetGuard } from '../../../integrations/outbound-http/target-guard';
import { WebhookUrlForbiddenError } from '../endpoint/webhook.errors';

/** How long a name may take to be resolved. After that the URL is accepted: every attempt checks it again. */
const RESOLVING_MILLISECONDS = 2_000;

/** Refuses URLs to which deliveries would be refused. */
@Injectable()
export class WebhookUrls {
  constructor(private readonly guard: TargetGuard) {}

  /**
   * A name that does not exist yet is accepted: it may exist when the first event is sent.
   *
   * @throws WebhookUrlForbiddenError
   */
  async assertAllowed(url: string): Promise<void> {
    try {
      await withTimeout(this.guard.addressesOf(new URL(url)), RESOLVING_MILLISECONDS, () => undefined);
    } catch (error) {
      if (!(error instanceof ForbiddenTargetError)) {
        throw error;
      }
      if (error.reason !== 'unresolved') {
        throw new WebhookUrlForbiddenError({ field: 'url', reason: error.reason });
      }
    }
  }
}
