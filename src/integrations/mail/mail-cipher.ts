import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../common/security/service-secret';
import { TextCipher } from '../../common/security/text-cipher';

/** Encrypts the values of queued mails, such as one-time codes, with a key derived from the service's secret. */
@Injectable()
export class MailCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('queued-mails'));
  }
}
