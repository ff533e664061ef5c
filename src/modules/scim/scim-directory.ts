import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from '../../common/security/principal';
import { type IdentityProvider, IdentityProviderStore, ServiceAddress } from '../identity/identity.api';
import { ScimForbiddenError } from './scim.errors';
import { SCIM_PREFIX } from './scim-prefix';

/** The caller: the directory of an identity provider. */
export interface Directory {
  provider: IdentityProvider;
  /** Prefix of the addresses of resources. */
  basePath: string;
}

/** Finds the directory of a request. */
@Injectable()
export class ScimDirectories {
  constructor(
    private readonly providers: IdentityProviderStore,
    private readonly address: ServiceAddress,
  ) {}

  /** @throws ScimForbiddenError if the key belongs to no provider, or to a deleted one */
  async of({ identityProviderId }: Principal, request: Request): Promise<Directory> {
    const provider = identityProviderId === null ? null : await this.providers.find(identityProviderId);
    if (!provider) {
      throw new ScimForbiddenError();
    }
    return { provider, basePath: this.address.page(`/${SCIM_PREFIX}`, request) };
  }
}
