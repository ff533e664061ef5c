import { isIP, type LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AllowedHosts } from '../../../common/network/allowed-hosts';
import { guardedLookup } from '../../../common/network/guarded-lookup';
import { hostOf } from '../../../common/network/host-of';
import { NameResolver } from '../../../common/network/name-resolver';
import { isPublicAddress } from '../../../common/network/public-address';
import { withTimeout } from '../../../common/time';
import { LlmConfig } from '../llm.config';
import { faultOfAddresses, faultOfUrl, PROVIDER_ADDRESS_FAULTS, type ProviderAddressFault } from './provider-address';

/** How long a name may take to be resolved when a provider is saved. Every connection checks it again. */
const RESOLVING_MILLISECONDS = 2_000;

/** The provider's address is forbidden, so no connection was opened. */
export class ForbiddenProviderError extends Error {
  override readonly name = 'ForbiddenProviderError';

  constructor(readonly fault: ProviderAddressFault) {
    super(`The provider is not asked: its address is ${PROVIDER_ADDRESS_FAULTS[fault]}.`);
  }
}

/**
 * Decides which addresses providers may have. Internal ones are allowed, for private model servers, unless the operator
 * lists hosts; link-local ones never are. The addresses of a name can change at any time, so connections use
 * `lookupFor`.
 */
@Injectable()
export class ProviderTargets {
  private readonly allowed: AllowedHosts | null;

  constructor(
    { PROVIDER_ALLOWED_HOSTS: hosts }: LlmConfig,
    private readonly resolver: NameResolver,
  ) {
    this.allowed = AllowedHosts.listed(hosts);
  }

  /** Null if the URL itself may be called. `lookupFor` checks the addresses of its name. */
  refusalOf(url: URL): ForbiddenProviderError | null {
    const fault = faultOfUrl(url, this.allowed);
    return fault === null ? null : new ForbiddenProviderError(fault);
  }

  /** For connections to this URL, which `refusalOf` must have accepted. */
  lookupFor(url: URL): LookupFunction {
    return guardedLookup(async () => {
      const addresses = await this.resolver.resolveInner(hostOf(url));
      if (addresses.length === 0) {
        throw Object.assign(new Error(`No address is known for ${hostOf(url)}`), { code: 'ENOTFOUND' });
      }
      const fault = faultOfAddresses(url, addresses, this.allowed);
      if (fault !== null) {
        throw new ForbiddenProviderError(fault);
      }
      return addresses;
    });
  }

  /**
   * Whether a provider may be saved with this URL. A name that does not resolve yet is accepted, unless its addresses
   * decide.
   */
  async maySave(url: URL): Promise<boolean> {
    if (faultOfUrl(url, this.allowed) !== null) {
      return false;
    }
    if (isIP(hostOf(url)) !== 0) {
      return true;
    }
    return faultOfAddresses(url, await this.addressesOf(url), this.allowed) === null;
  }

  /** Whether the URL leads only to the public Internet. */
  async isPublic(url: URL): Promise<boolean> {
    const addresses = isIP(hostOf(url)) === 0 ? await this.addressesOf(url) : [hostOf(url)];
    return addresses.length > 0 && addresses.every(isPublicAddress);
  }

  private addressesOf(url: URL): Promise<readonly string[]> {
    return withTimeout(this.resolver.resolveInner(hostOf(url)), RESOLVING_MILLISECONDS, () => []);
  }
}
