import { isIP } from 'node:net';
import type { AllowedHosts } from '../../../common/network/allowed-hosts';
import { hostOf, portOf } from '../../../common/network/host-of';
import { isLinkLocalAddress, isMetadataName } from '../../../common/network/link-local';

/** Why a provider's address is refused. */
export type ProviderAddressFault = 'link_local' | 'not_allowed';

/** The end of the sentence "LLM_BASE_URL must not be …". */
export const PROVIDER_ADDRESS_FAULTS: Record<ProviderAddressFault, string> = {
  link_local: 'a link-local address, where clouds keep the secrets of their machines',
  not_allowed: 'outside of PROVIDER_ALLOWED_HOSTS',
};

/**
 * Checks the URL itself: its literal address or its name. Unusual forms of addresses (octal, hexadecimal, one number)
 * are normalized here, because the URL's parser converts them.
 *
 * @param allowed null: any host
 */
export function faultOfUrl(url: URL, allowed: AllowedHosts | null): ProviderAddressFault | null {
  const host = hostOf(url);
  const isLiteral = isIP(host) !== 0;
  if (isLiteral ? isLinkLocalAddress(host) : isMetadataName(host)) {
    return 'link_local';
  }
  if (allowed === null || allowed.permitsHost(host, portOf(url))) {
    return null;
  }
  const mayBePermitted = isLiteral ? allowed.permitsAddress(host) : allowed.hasNetworks;
  return mayBePermitted ? null : 'not_allowed';
}

/** Checks the current addresses of a URL's name. If one of several addresses is refused, the URL is. */
export function faultOfAddresses(
  url: URL,
  addresses: readonly string[],
  allowed: AllowedHosts | null,
): ProviderAddressFault | null {
  if (addresses.some(isLinkLocalAddress)) {
    return 'link_local';
  }
  const isPermitted =
    allowed === null ||
    allowed.permitsHost(hostOf(url), portOf(url)) ||
    (addresses.length > 0 && addresses.every((address) => allowed.permitsAddress(address)));
  return isPermitted ? null : 'not_allowed';
}
