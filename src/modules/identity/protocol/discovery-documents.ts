import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ServerMetadata } from 'openid-client';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { ProviderFaultError, toProviderFault } from './provider-fault';
import { ProviderHttp } from './provider-http';

/** How long an instance caches a document. */
const FRESH_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/** Most issuers with a cached document. */
const MOST_KEPT = 1_000;

const SUFFIX = '/.well-known/openid-configuration';

/** The endpoints that this service needs. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/** A provider's discovery document. */
export interface ProviderDocument {
  metadata: ServerMetadata;
  /** When the provider responded, by its own clock, in Unix milliseconds. Null if it sent no valid date. */
  providerTime: number | null;
}

/** Reads and caches discovery documents (OpenID Connect Discovery 1.0). */
@Injectable()
export class DiscoveryDocuments {
  private readonly documents = new LRUCache<string, Promise<ProviderDocument>>({
    max: MOST_KEPT,
    ttl: FRESH_MILLISECONDS,
  });

  constructor(private readonly http: ProviderHttp) {}

  /** @throws ProviderFaultError */
  async metadata({ issuer }: Pick<IdentityProviderEntity, 'issuer'>): Promise<ServerMetadata> {
    const known = this.documents.get(issuer);
    if (known) {
      return (await known).metadata;
    }
    const reading = this.read({ issuer });
    this.documents.set(issuer, reading);
    reading.catch(() => this.documents.delete(issuer));
    return (await reading).metadata;
  }

  /** Requests the document without the cache. @throws ProviderFaultError */
  async read({ issuer }: Pick<IdentityProviderEntity, 'issuer'>): Promise<ProviderDocument> {
    try {
      const { status, body, date } = await this.http.get(new URL(issuer.replace(/\/$/, '') + SUFFIX));
      if (status !== 200) {
        throw new ProviderFaultError('invalid_document');
      }
      const metadata = this.checked(parse(body), issuer);
      return { metadata, providerTime: date === null || Number.isNaN(Date.parse(date)) ? null : Date.parse(date) };
    } catch (error) {
      throw error instanceof SyntaxError ? new ProviderFaultError('invalid_document', error) : toProviderFault(error);
    }
  }

  /** The issuer is compared exactly, so that no other issuer's document is accepted. */
  private checked(document: unknown, issuer: string): ServerMetadata {
    const metadata = document as ServerMetadata | null;
    if (typeof metadata !== 'object' || metadata === null) {
      throw new ProviderFaultError('invalid_document');
    }
    if (metadata.issuer !== issuer) {
      throw new ProviderFaultError('wrong_issuer');
    }
    for (const name of ENDPOINTS) {
      const address: unknown = metadata[name];
      if (typeof address !== 'string' || !URL.canParse(address)) {
        throw new ProviderFaultError('invalid_document');
      }
      try {
        this.http.checkUrl(new URL(address));
      } catch (error) {
        throw new ProviderFaultError('forbidden_target', error);
      }
    }
    return metadata;
  }
}

function parse(body: Buffer): unknown {
  return JSON.parse(body.toString('utf8'));
}
