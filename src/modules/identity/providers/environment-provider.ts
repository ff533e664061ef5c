import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { IdentityStore } from '../identities/identity.store';
import { IdentityConfig } from '../identity.config';
import { IdentityProviderExistsError } from '../identity.errors';
import { IdentityProviderEntity } from './identity-provider.entity';
import { type IdentityProviderFields, IdentityProviderStore } from './identity-provider.store';
import { PROVIDER_DEFAULTS } from './identity-provider-administration.service';

const SLUG = 'company';

type OwnFields = Pick<IdentityProviderFields, 'name' | 'issuer' | 'clientId' | 'clientSecret'>;

/** Creates the provider of `OIDC_*` at the first start, and applies the variables at each later start. */
@Injectable()
export class EnvironmentProvider {
  private readonly logger = new Logger(EnvironmentProvider.name);

  constructor(
    private readonly config: IdentityConfig,
    private readonly database: Database,
    private readonly store: IdentityProviderStore,
    private readonly identities: IdentityStore,
  ) {
    database.onReady(() => this.ensure());
  }

  private async ensure(): Promise<void> {
    const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET, OIDC_NAME: name } = this.config;
    if (issuer === null || clientId === null) {
      return;
    }
    const wanted = { name, issuer, clientId, clientSecret: OIDC_CLIENT_SECRET };
    try {
      await this.database.write(async (manager) => {
        const present = await findRow(manager, IdentityProviderEntity, { slug: SLUG }, { lock: 'wait' });
        if (!present) {
          await this.store.insert(manager, { ...PROVIDER_DEFAULTS, ...wanted, slug: SLUG, isFromEnvironment: true });
        } else if (this.differs(present, wanted)) {
          const isMoved = present.issuer !== issuer && (await this.identities.countOfProvider(present.id)) > 0;
          if (isMoved) {
            this.logger.error('OIDC_ISSUER is another one, but accounts have identities of the former. It stays.');
            return;
          }
          await this.store.update(manager, present, { ...wanted, isFromEnvironment: true });
        }
      });
    } catch (error) {
      // Another instance may have created it at the same moment.
      if (!(error instanceof IdentityProviderExistsError)) {
        throw error;
      }
      this.logger.warn('The provider of OIDC_* is there already, or another one has its issuer.');
    }
  }

  private differs(present: IdentityProviderEntity, wanted: OwnFields): boolean {
    return (
      !present.isFromEnvironment ||
      present.name !== wanted.name ||
      present.issuer !== wanted.issuer ||
      present.clientId !== wanted.clientId ||
      this.store.secretOf(present) !== wanted.clientSecret
    );
  }
}
