import { Injectable, Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { Clock } from '../../../common/clock';
import { counter } from '../../../common/metrics/metrics';
import type { OutboundAnswer } from '../../../integrations/outbound-http/outbound-answer';
import { OutboundHttpClient, OutboundRequest } from '../../../integrations/outbound-http/outbound-http-client';
import { SecretCipher } from '../endpoint/secret-cipher';
import { isSigning } from '../endpoint/webhook-endpoint.entity';
import { EventBodies } from '../outbox/event-bodies';
import type { AttemptError, AttemptOutcome, AttemptResult, ClaimedDelivery } from './delivery-types';
import { askedPause } from './retry-schedule';

const USER_AGENT = 'chat-service-webhooks/1';

interface Judgement {
  outcome: AttemptOutcome;
  error: AttemptError | null;
  answer?: OutboundAnswer;
}

/** Makes one attempt: signs the event (Standard Webhooks 1.0), posts it and judges the answer. */
@Injectable()
export class DeliveryAttempt {
  private readonly logger = new Logger(DeliveryAttempt.name);
  private readonly ended = counter('webhook_attempts_total', 'Attempts to deliver an event that ended', ['outcome']);

  constructor(
    private readonly client: OutboundHttpClient,
    private readonly bodies: EventBodies,
    private readonly cipher: SecretCipher,
    private readonly clock: Clock,
  ) {}

  /** Never rejects. */
  async make(claimed: ClaimedDelivery, signal: AbortSignal): Promise<AttemptResult> {
    const startedAt = this.clock.now();
    const begin = performance.now();
    const { outcome, error, answer } = await this.outcomeOf(claimed, startedAt, signal);
    this.ended.inc({ outcome });
    return {
      claimed,
      outcome,
      error,
      startedAt,
      durationMilliseconds: Math.round(performance.now() - begin),
      statusCode: answer?.status ?? null,
      responseBody: answer?.body ?? null,
      retryAfterMilliseconds: answer ? askedPause(answer.retryAfter, this.clock.now()) : null,
    };
  }

  private async outcomeOf(claimed: ClaimedDelivery, startedAt: Date, signal: AbortSignal): Promise<Judgement> {
    if (!claimed.isPermitted) {
      return { outcome: 'refused', error: 'not_permitted' };
    }
    try {
      const sent = await this.client.post({ ...this.signedRequest(claimed, startedAt), signal });
      return 'failure' in sent
        ? { outcome: sent.failure === 'aborted' ? 'interrupted' : 'failed', error: sent.failure }
        : judge(sent.answer);
    } catch (error) {
      this.logger.error(
        `Webhook ${claimed.endpoint.id} cannot be served; was JWT_SECRET changed since it was made? ${String(error)}`,
      );
      return { outcome: 'failed', error: 'internal_error' };
    }
  }

  /** Carries one signature, and one more for each rotated secret that is still honoured. */
  private signedRequest({ endpoint, event }: ClaimedDelivery, at: Date): Omit<OutboundRequest, 'signal'> {
    const previous = endpoint.previousSecrets.filter((candidate) => isSigning(candidate, at));
    const body = JSON.stringify(this.bodies.make(event, endpoint));
    const signatures = [endpoint, ...previous].map(({ secret }) =>
      new Webhook(this.cipher.decrypt(secret)).sign(event.publicId, at, body),
    );
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': event.publicId,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': signatures.join(' '),
    };
    return { url: new URL(endpoint.url), headers, body };
  }
}

function judge(answer: OutboundAnswer): Judgement {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    return { outcome: 'succeeded', error: null, answer };
  }
  if (status === 410) {
    return { outcome: 'gone', error: 'gone', answer };
  }
  return { outcome: 'failed', error: status >= 300 && status < 400 ? 'redirect' : 'status', answer };
}
