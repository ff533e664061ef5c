import { Injectable } from '@nestjs/common';
import type { JSONWebKeySet, LocalJWKSet } from 'jose';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../common/clock';
import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { DiscoveryDocuments } from './discovery-documents';
import { loadJose } from './libraries';
import { ProviderFaultError, toProviderFault } from './provider-fault';
import { ProviderHttp } from './provider-http';

/** Keys are requested from a provider at most once a minute, even if tokens name unknown keys. */
const PAUSE_MILLISECONDS = MINUTE_MILLISECONDS;

/**
 * Keys are read again after this time even if every token names a known key, because the provider may have revoked one.
 */
const FRESH_MILLISECONDS = 60 * MINUTE_MILLISECONDS;

/** How long a failure is cached if no keys are known yet. Anyone can send tokens that name the provider. */
const FAILED_MILLISECONDS = SECOND_MILLISECONDS;

const MOST_KEPT = 1_000;

interface KeptKeys {
  /** Unix milliseconds. */
  readAt: number;
  keys: Promise<LocalJWKSet>;
}

type Issuer = Pick<IdentityProviderEntity, 'issuer'>;

/** Reads and caches providers' public keys. */
@Injectable()
export class ProviderKeys {
  private readonly kept = new LRUCache<string, KeptKeys>({ max: MOST_KEPT });

  constructor(
    private readonly directory: DiscoveryDocuments,
    private readonly http: ProviderHttp,
    private readonly clock: Clock,
  ) {}

  /**
   * The keys for verification.
   *
   * @param isLacking whether the cached keys do not include the key of a token
   * @throws ProviderFaultError
   */
  keysOf(provider: Issuer, isLacking = false): Promise<LocalJWKSet> {
    const now = this.clock.now().getTime();
    const kept = this.kept.get(provider.issuer);
    if (kept && now - kept.readAt < (isLacking ? PAUSE_MILLISECONDS : FRESH_MILLISECONDS)) {
      return kept.keys;
    }
    // The previous keys stay in use while the provider is unavailable.
    const keys = kept ? this.read(provider).catch(() => kept.keys) : this.read(provider);
    this.kept.set(provider.issuer, { readAt: now, keys });
    keys.catch(() => this.kept.set(provider.issuer, { readAt: now - FRESH_MILLISECONDS + FAILED_MILLISECONDS, keys }));
    return keys;
  }

  /** Requests the keys without the cache. @throws ProviderFaultError */
  async read(provider: Issuer): Promise<LocalJWKSet> {
    try {
      const metadata = await this.directory.metadata(provider);
      const { status, body } = await this.http.get(new URL(metadata.jwks_uri ?? ''));
      const set = JSON.parse(body.toString('utf8')) as JSONWebKeySet | null;
      if (status !== 200 || !Array.isArray(set?.keys) || set.keys.length === 0) {
        throw new ProviderFaultError('no_keys');
      }
      return (await loadJose()).createLocalJWKSet(set);
    } catch (error) {
      const fault = toProviderFault(error);
      throw fault.fault === 'wrong_token' ? new ProviderFaultError('no_keys', error) : fault;
    }
  }
}
