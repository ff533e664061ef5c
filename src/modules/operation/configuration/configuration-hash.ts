import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../common/security/service-secret';
import { Variables } from '../../../config/variables';

/** Settings of a single process, which differ between instances that work together. */
const OF_A_PROCESS = new Set(['PORT', 'HOST', 'OTEL_RESOURCE_ATTRIBUTES']);

/** A value that is equal for instances with equal settings. It reveals no setting, because only the service has its key. */
@Injectable()
export class ConfigurationHash {
  readonly value: string;

  constructor(secret: ServiceSecret, variables: Variables) {
    const shared = variables.all.filter(({ name }) => !OF_A_PROCESS.has(name)).map(({ name, value }) => [name, value]);
    const key = secret.derive('configuration-hash');
    this.value = createHmac('sha256', key).update(JSON.stringify(shared)).digest('hex').slice(0, 32);
  }
}
