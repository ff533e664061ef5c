import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../common/security/service-secret';
import { TextCipher } from '../../../common/security/text-cipher';

/** Encrypts the signing secrets of endpoints for the database, under a key from the service's secret. */
@Injectable()
export class SecretCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('webhook-secrets'));
  }
}
