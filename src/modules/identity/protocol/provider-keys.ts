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

/** A provider is asked for its keys once a minute, whatever keys tokens name. */
const PAUSE_MILLISECONDS = MINUTE_MILLISECONDS;

/** Keys are read again after this time even if every token names a known one: the provider may have revoked one. */
const FRESH_MILLISECONDS = 60 * MINUTE_MILLISECONDS;

/** Where no keys are known yet, a failure counts so long: anybody may send tokens that name the provider. */
const FAILED_MILLISECONDS = SECOND_MILLISECONDS;

const MOST_KEPT = 1_000;

interface KeptKeys {
  /** Unix milliseconds. */
  readAt: number;
  keys: Promise<LocalJWKSet>;
}

type Issuer = Pick<IdentityProviderEntity, 'issuer'>;

/** The public keys of providers. */
@Injectable()
export class ProviderKeys {
  private readonly kept = new LRUCache<string, KeptKeys>({ max: MOST_KEPT });

  constructor(
    private readonly directory: DiscoveryDocuments,
    private readonly http: ProviderHttp,
    private readonly clock: Clock,
  ) {}

  /**
   * The keys to verify with. @param isLacking whether those that are kept do not have the key of a token
   *
   * @throws ProviderFaultError
   */
  keysOf(provider: Issuer, isLacking = false): Promise<LocalJWKSet> {
    const now = this.clock.now().getTime();
    const kept = this.kept.get(provider.issuer);
    if (kept && now - kept.readAt < (isLacking ? PAUSE_MILLISECONDS : FRESH_MILLISECONDS)) {
      return kept.keys;
    }
    // The former keys go on while the provider is away.
    const keys = kept ? this.read(provider).catch(() => kept.keys) : this.read(provider);
    this.kept.set(provider.issuer, { readAt: now, keys });
    keys.catch(() => this.kept.set(provider.issuer, { readAt: now - FRESH_MILLISECONDS + FAILED_MILLISECONDS, keys }));
    return keys;
  }

  /** Asks the provider now. @throws ProviderFaultError */
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
