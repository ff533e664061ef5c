import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { CustomFetchOptions } from 'openid-client';
import { AllowedHosts } from '../../../common/network/allowed-hosts';
import { NameResolver } from '../../../common/network/name-resolver';
import { AppConfig } from '../../../config/app.config';
import { type Download, type DownloadFailure } from '../../../integrations/outbound-http/download-reader';
import { OutboundHttpClient } from '../../../integrations/outbound-http/outbound-http-client';
import { TargetGuard } from '../../../integrations/outbound-http/target-guard';
import { IdentityConfig } from '../identity.config';

const LIMIT_BYTES = 1_048_576;
const TIME_LIMIT_MILLISECONDS = 10_000;

/** A request to a provider that got no response. */
export class ProviderUnreachableError extends Error {
  override readonly name = 'ProviderUnreachableError';

  constructor(readonly failure: DownloadFailure) {
    super(`The provider gave no answer: ${failure}.`);
  }
}

/**
 * Sends all requests to identity providers. Administrators choose the providers, and responses contain further
 * addresses. Therefore each address and each redirect is checked like a webhook's address.
 */
@Injectable()
export class ProviderHttp implements OnApplicationShutdown {
  /** Not configurable: tests set it. */
  timeLimitMilliseconds = TIME_LIMIT_MILLISECONDS;
  private readonly guard: TargetGuard;
  private readonly client: OutboundHttpClient;
  private readonly stop = new AbortController();

  constructor({ isProduction }: AppConfig, { OIDC_ALLOWED_HOSTS }: IdentityConfig, resolver: NameResolver) {
    const allowedHosts = new AllowedHosts(OIDC_ALLOWED_HOSTS ?? []);
    this.guard = new TargetGuard({ isHttpsRequired: isProduction, allowedHosts }, resolver);
    this.client = new OutboundHttpClient(this.guard);
  }

  /** Checks the address without resolving its name. @throws ForbiddenTargetError */
  checkUrl(url: URL): void {
    this.guard.checkUrl(url);
  }

  /** @throws ProviderUnreachableError */
  async get(url: URL): Promise<Download> {
    return this.request(url, { accept: 'application/json' });
  }

  /** Replaces `fetch` in openid-client. @throws ProviderUnreachableError */
  readonly fetch = async (
    address: string,
    { headers, body }: Pick<CustomFetchOptions, 'headers' | 'body'>,
  ): Promise<Response> => {
    const posted = typeof body === 'string' || body instanceof URLSearchParams ? body.toString() : undefined;
    const { status, contentType, body: bytes } = await this.request(new URL(address), headers, posted);
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : new Uint8Array(bytes), {
      status,
      headers: contentType === null ? {} : { 'content-type': contentType },
    });
  };

  async onApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.client.onApplicationShutdown();
  }

  private async request(url: URL, headers: Record<string, string>, posted?: string): Promise<Download> {
    const result = await this.client.download({
      url,
      headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': 'chat-service-sign-in/1' },
      posted,
      readsFailures: true,
      limitBytes: LIMIT_BYTES,
      timeoutMilliseconds: this.timeLimitMilliseconds,
      signal: this.stop.signal,
    });
    if ('failure' in result) {
      throw new ProviderUnreachableError(result.failure);
    }
    return result.download;
  }
}
