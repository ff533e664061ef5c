import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../common/security/service-secret';

/** Stands for addresses where they are only compared, so that no list of them lies about. */
@Injectable()
export class AddressHasher {
  private readonly key: Buffer;

  constructor(secret: ServiceSecret) {
    this.key = secret.derive('verification-codes');
  }

  /** HMAC-SHA-256 of the parts, in hexadecimal. */
  hash(...parts: string[]): string {
    return createHmac('sha256', this.key).update(parts.join('\n')).digest('hex');
  }
}
