import { createHmac, randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AllowedHosts } from '../../../common/network/allowed-hosts';
import { NameResolver } from '../../../common/network/name-resolver';
import { Tracing } from '../../../common/tracing/tracing';
import { SharedClock } from '../../../database/shared-clock';
import type { DownloadFailure } from '../../../integrations/outbound-http/download-reader';
import { OutboundHttpClient } from '../../../integrations/outbound-http/outbound-http-client';
import { TargetGuard } from '../../../integrations/outbound-http/target-guard';
import type { GuardFault } from '../checking/guard-check';
import type { TextPlaces } from '../checking/guard-spans';
import { GuardConfig } from '../guard.config';
import { type Guard, GuardStore, SECRET_PREFIX } from '../guards/guard.store';
import { type GuardAnswer, readAnswer } from './guard-answer';

const USER_AGENT = 'chat-service-guards/1';

const LONGEST_ANSWER_BYTES = 256 * 1_024;

/** A guard could not decide. */
export class GuardFailure extends Error {
  constructor(readonly fault: GuardFault) {
    super(`The guard could not decide: ${fault}.`);
  }
}

/** Calls guards over HTTP, signed as in Standard Webhooks 1.0. */
@Injectable()
export class GuardHttp implements OnApplicationShutdown {
  private readonly target: TargetGuard;
  private readonly client: OutboundHttpClient;

  constructor(
    private readonly store: GuardStore,
    private readonly clock: SharedClock,
    { GUARD_ALLOWED_HOSTS }: GuardConfig,
    resolver: NameResolver,
    private readonly tracing: Tracing,
  ) {
    const allowedHosts = new AllowedHosts(GUARD_ALLOWED_HOSTS ?? []);
    this.target = new TargetGuard({ isHttpsRequired: true, allowedHosts }, resolver);
    this.client = new OutboundHttpClient(this.target);
  }

  /** Checks a URL and the current addresses of its host. @throws ForbiddenTargetError */
  async check(url: URL): Promise<void> {
    await this.target.addressesOf(url);
  }

  /** @throws GuardFailure */
  async call(guard: Guard, body: object, places: TextPlaces, signal: AbortSignal): Promise<GuardAnswer> {
    const url = new URL(guard.url ?? '');
    const posted = JSON.stringify(body);
    const headers = { ...this.signed(guard, posted), ...this.tracing.headersOf() };
    const end = performance.now() + guard.timeoutMs;
    for (let attempt = 1; ; attempt++) {
      const timeoutMilliseconds = end - performance.now();
      if (timeoutMilliseconds <= 0) {
        throw new GuardFailure('timeout');
      }
      const limits = { limitBytes: LONGEST_ANSWER_BYTES, timeoutMilliseconds, readsFailures: true, signal };
      const result = await this.client.download({ url, headers, posted, ...limits });
      if ('download' in result) {
        return answerOf(result.download, places);
      }
      if (attempt > 1 || !isOfConnection(result.failure)) {
        throw new GuardFailure(faultOf(result.failure));
      }
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.onApplicationShutdown();
  }

  private signed(guard: Guard, body: string): Record<string, string> {
    const credentials = this.store.credentialsOf(guard);
    if (credentials === null) {
      throw new GuardFailure('secret_lost');
    }
    const id = `msg_${randomUUID().replaceAll('-', '')}`;
    const timestamp = String(Math.floor(this.clock.now().getTime() / 1_000));
    const key = Buffer.from(credentials.secret.slice(SECRET_PREFIX.length), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return {
      ...credentials.headers,
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
  }
}

function answerOf({ status, body }: { status: number; body: Buffer }, places: TextPlaces): GuardAnswer {
  if (status !== 200) {
    throw new GuardFailure('status');
  }
  const answer = readAnswer(body.toString('utf8'), places);
  if (answer === null) {
    throw new GuardFailure('invalid_answer');
  }
  return answer;
}

function isOfConnection(failure: DownloadFailure): boolean {
  return failure === 'connection_failed' || failure === 'connection_closed';
}

function faultOf(failure: DownloadFailure): GuardFault {
  switch (failure) {
    case 'timeout':
    case 'forbidden_target':
    case 'too_large':
      return failure;
    case 'invalid_response':
      return 'invalid_answer';
    default:
      return 'unreachable';
  }
}
