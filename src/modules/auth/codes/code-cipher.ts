import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../common/security/service-secret';
import { TextCipher } from '../../../common/security/text-cipher';

/** Encrypts living codes, so that they can be sent again, with a key made from the service's secret. */
@Injectable()
export class CodeCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('living-codes'));
  }
}
