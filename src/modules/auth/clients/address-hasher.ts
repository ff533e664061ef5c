import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../common/security/service-secret';

/** Hashes addresses that only need to be compared, so that the database holds no list of them. */
@Injectable()
export class AddressHasher {
  private readonly keys: [Buffer, ...Buffer[]];

  constructor(secret: ServiceSecret) {
    this.keys = secret.deriveAll('verification-codes');
  }

  /** HMAC-SHA-256 of the parts, in hexadecimal. */
  hash(...parts: string[]): string {
    return hashWith(this.keys[0], parts);
  }

  /** The hashes that the database may hold of the parts: that of `hash`, and that of the previous secret. */
  hashes(...parts: string[]): string[] {
    return this.keys.map((key) => hashWith(key, parts));
  }
}

function hashWith(key: Buffer, parts: string[]): string {
  return createHmac('sha256', key).update(parts.join('\n')).digest('hex');
}
