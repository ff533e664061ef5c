import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../common/security/service-secret';
import { TextCipher } from '../../common/security/text-cipher';

/** Encrypts what a waiting mail says, one-time codes among it, under a key from the service's secret. */
@Injectable()
export class MailCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('queued-mails'));
  }
}
