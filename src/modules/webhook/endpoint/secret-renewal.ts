import { Injectable, Logger } from '@nestjs/common';
import { ServiceSecret } from '../../../common/security/service-secret';
import { Database } from '../../../database/database';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { updateRows } from '../../../database/statements/update';
import { SecretCipher } from './secret-cipher';
import { WebhookEndpointEntity } from './webhook-endpoint.entity';

/**
 * Re-encrypts the endpoints' secrets after a change of the service secret, while the previous one can still decrypt
 * them.
 */
@Injectable()
export class SecretRenewal {
  private readonly logger = new Logger(SecretRenewal.name);

  constructor(
    private readonly database: Database,
    private readonly cipher: SecretCipher,
    serviceSecret: ServiceSecret,
  ) {
    if (serviceSecret.isBeingRotated) {
      database.onReady(() => this.renewAll());
    }
  }

  private async renewAll(): Promise<void> {
    let renewed = 0;
    for await (const batch of keysetBatches(this.database.manager, WebhookEndpointEntity, {})) {
      renewed += await this.renew(batch);
    }
    if (renewed > 0) {
      this.logger.log({ webhooks: renewed }, 'Signing secrets of webhooks are now encrypted under the new JWT_SECRET.');
    }
  }

  private renew(endpoints: WebhookEndpointEntity[]): Promise<number> {
    return this.database.write(async (manager) => {
      let renewed = 0;
      for (const { id, secret, previousSecrets } of endpoints) {
        const changed = [secret, ...previousSecrets.map((previous) => previous.secret)].some(
          (encrypted) => this.cipher.renew(encrypted) !== null,
        );
        if (changed) {
          const change = {
            secret: this.cipher.renew(secret) ?? secret,
            previousSecrets: previousSecrets.map((previous) => ({
              ...previous,
              secret: this.cipher.renew(previous.secret) ?? previous.secret,
            })),
          };
          // The condition on the old value keeps a secret that the owner has set since the read.
          renewed += await updateRows(manager, WebhookEndpointEntity, change, { id, secret });
        }
      }
      return renewed;
    });
  }
}
