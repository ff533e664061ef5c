import { createHmac } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { counter } from '../../../common/metrics/metrics';
import { ATTRIBUTES } from '../../../common/tracing/conventions';
import { NO_SPAN, type Span } from '../../../common/tracing/span';
import { parseTraceparent } from '../../../common/tracing/trace-context';
import { Tracing } from '../../../common/tracing/tracing';
import { SharedClock } from '../../../database/shared-clock';
import type { OutboundAnswer } from '../../../integrations/outbound-http/answer-reader';
import type { OutboundFailure } from '../../../integrations/outbound-http/outbound-failure';
import { OutboundHttpClient, OutboundRequest } from '../../../integrations/outbound-http/outbound-http-client';
import { SECRET_PREFIX, SecretCipher } from '../endpoint/secret-cipher';
import { isSigning } from '../endpoint/webhook-endpoint.entity';
import { EventBodies } from '../outbox/event-content';
import type { ClaimedDelivery } from './delivery-claims';
import { requestedPause } from './retry-schedule';

const USER_AGENT = 'chat-service-webhooks/1';

/** Failure reasons in the log of attempts. */
type AttemptError = OutboundFailure | 'status' | 'redirect' | 'gone' | 'not_permitted' | 'internal_error';

/**
 * The result of an attempt. `interrupted`: the process stopped it, which is not the endpoint's fault. `refused`:
 * nothing was sent, and nothing will be.
 */
type AttemptOutcome = 'succeeded' | 'failed' | 'gone' | 'refused' | 'interrupted';

export interface AttemptResult {
  claimed: ClaimedDelivery;
  outcome: AttemptOutcome;
  startedAt: Date;
  durationMilliseconds: number;
  statusCode: number | null;
  error: AttemptError | null;
  responseBody: string | null;
  /** The pause that the endpoint requested, counted from the end of the attempt. Null if it requested none. */
  requestedPauseMilliseconds: number | null;
}

interface Judgement {
  outcome: AttemptOutcome;
  error: AttemptError | null;
  answer?: OutboundAnswer;
}

/** Makes one attempt: signs the event (Standard Webhooks 1.0), sends it and evaluates the response. */
@Injectable()
export class DeliveryAttempt {
  private readonly logger = new Logger(DeliveryAttempt.name);
  private readonly ended = counter(
    'webhook_attempts_total',
    'Attempts to deliver an event that ended',
    ['outcome'],
    [{ outcome: 'succeeded' }, { outcome: 'failed' }],
  );

  constructor(
    private readonly client: OutboundHttpClient,
    private readonly bodies: EventBodies,
    private readonly cipher: SecretCipher,
    private readonly clock: SharedClock,
    private readonly tracing: Tracing,
  ) {}

  /** Never rejects. */
  async make(claimed: ClaimedDelivery, signal: AbortSignal): Promise<AttemptResult> {
    const startedAt = this.clock.now();
    const beganAt = performance.now();
    const span = this.startSpan(claimed);
    const { outcome, error, answer } = await this.tracing.within(span, () => this.attempt(claimed, startedAt, signal));
    span.set({ [ATTRIBUTES.httpStatus]: answer?.status });
    if (error !== null) {
      span.fail(error);
    }
    span.end();
    this.ended.inc({ outcome });
    return {
      claimed,
      outcome,
      error,
      startedAt,
      durationMilliseconds: Math.round(performance.now() - beganAt),
      statusCode: answer?.status ?? null,
      responseBody: answer?.body ?? null,
      requestedPauseMilliseconds: answer ? requestedPause(answer.retryAfter, this.clock.now()) : null,
    };
  }

  /** A trace of its own, because it may start days after the change. */
  private startSpan({ endpoint, event, delivery }: ClaimedDelivery): Span {
    if (!this.tracing.isOn) {
      return NO_SPAN;
    }
    const cause = parseTraceparent(event.span);
    return this.tracing.start('POST webhook', {
      kind: 'client',
      parent: null,
      links: cause === null ? [] : [{ kind: 'caused', context: cause }],
      attributes: {
        [ATTRIBUTES.httpMethod]: 'POST',
        [ATTRIBUTES.serverAddress]: new URL(endpoint.url).hostname,
        [ATTRIBUTES.httpResend]: delivery.attemptCount,
        [ATTRIBUTES.event]: event.type,
      },
    });
  }

  private async attempt(claimed: ClaimedDelivery, startedAt: Date, signal: AbortSignal): Promise<Judgement> {
    if (!claimed.isPermitted) {
      return { outcome: 'refused', error: 'not_permitted' };
    }
    try {
      const sent = await this.client.post({ ...this.signedRequest(claimed, startedAt), signal });
      if ('answer' in sent) {
        return judge(sent.answer);
      }
      return { outcome: sent.failure === 'aborted' ? 'interrupted' : 'failed', error: sent.failure };
    } catch (error) {
      const webhook_id = claimed.endpoint.id;
      this.logger.error({ webhook_id, error }, 'A webhook cannot be signed. Was JWT_SECRET changed since it was made?');
      return { outcome: 'failed', error: 'internal_error' };
    }
  }

  /** Contains one signature for the current secret and one for each rotated secret that is still valid. */
  private signedRequest({ endpoint, event }: ClaimedDelivery, at: Date): Omit<OutboundRequest, 'signal'> {
    const previous = endpoint.previousSecrets.filter((candidate) => isSigning(candidate, at));
    const body = JSON.stringify(this.bodies.make(event, endpoint));
    const timestamp = String(Math.floor(at.getTime() / 1_000));
    const signed = `${event.publicId}.${timestamp}.${body}`;
    const signatures = [endpoint, ...previous].map(({ secret }) => signature(this.cipher.decrypt(secret), signed));
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': event.publicId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
      ...this.tracing.headersOf(),
    };
    return { url: new URL(endpoint.url), headers, body };
  }
}

/** A signature as defined in Standard Webhooks 1.0. The secret consists of `whsec_` and the key in base64. */
function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
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
