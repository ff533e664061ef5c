import { isIP } from 'node:net';
import { type AllowedHosts } from '../../common/network/allowed-hosts';
import { hostOf, portOf } from '../../common/network/host-of';
import { isLinkLocalAddress, isMetadataName } from '../../common/network/link-local';
import { type NameResolver } from '../../common/network/name-resolver';
import { isPublicAddress } from '../../common/network/public-address';

/** Names that never mean a public host (RFC 6761, RFC 6762, RFC 8375, and common names of private networks). */
const INNER_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|lan|arpa|onion)$/;

/** Lower ports belong to mail, shells and file shares, which a POST must not reach. */
const FIRST_UNPRIVILEGED_PORT = 1_024;

/** Why a URL must not be called. `unresolved` may be temporary, until the name is registered. */
export type ForbiddenTargetReason =
  | 'https_required'
  | 'scheme_not_allowed'
  | 'user_info_not_allowed'
  | 'port_not_allowed'
  | 'address_not_public'
  | 'host_not_allowed'
  | 'unresolved';

/** A request was refused before a connection was opened. */
export class ForbiddenTargetError extends Error {
  override readonly name = 'ForbiddenTargetError';
  readonly code = 'FORBIDDEN_TARGET';

  constructor(readonly reason: ForbiddenTargetReason) {
    super(`The target of the request is refused: ${reason}.`);
  }
}

export interface TargetPolicy {
  /** Refuses plain http, except to hosts that the operator allows. */
  isHttpsRequired: boolean;
  allowedHosts: AllowedHosts;
  /**
   * If given, only these hosts may be link-local or a metadata service: those that the operator has named, and not those
   * that an administrator added at run time.
   */
  vouchedHosts?: AllowedHosts;
  /** Refuses every host that the operator does not allow, including public ones. */
  isAllowedOnly?: boolean;
}

/**
 * Decides which targets this service may call for its users (server-side request forgery, OWASP A10). The addresses of
 * a name can change after a URL was checked, so every connection goes to addresses from `addressesOf`.
 */
export class TargetGuard {
  constructor(
    private readonly policy: TargetPolicy,
    private readonly resolver: NameResolver,
  ) {}

  /**
   * Checks the URL itself: scheme, user info, port, literal address, kind of name. Addresses in unusual forms (octal,
   * hexadecimal, one number, full-width digits) are already normalized here, because WHATWG's URL parser converts them.
   *
   * @throws ForbiddenTargetError
   */
  checkUrl(url: URL): void {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new ForbiddenTargetError('scheme_not_allowed');
    }
    if (url.username !== '' || url.password !== '') {
      throw new ForbiddenTargetError('user_info_not_allowed');
    }
    const host = hostOf(url);
    if (isIP(host) === 0 ? isMetadataName(host) && !this.isVouched(host, url) : this.isUnvouched(host, host, url)) {
      throw new ForbiddenTargetError('address_not_public');
    }
    if (this.isOpened(host, url)) {
      return;
    }
    if (isIP(host) === 0 ? isInnerName(host) : !this.isAddressAllowed(host)) {
      throw new ForbiddenTargetError('address_not_public');
    }
    if (isIP(host) !== 0 && this.policy.allowedHosts.permitsAddress(host)) {
      return;
    }
    if (this.policy.isAllowedOnly && (isIP(host) !== 0 || !this.policy.allowedHosts.hasNetworks)) {
      throw new ForbiddenTargetError('host_not_allowed');
    }
    if (isIP(host) !== 0 || !this.policy.allowedHosts.hasNetworks) {
      this.checkScheme(url, false);
    }
    const port = portOf(url);
    if (port < FIRST_UNPRIVILEGED_PORT && port !== 80 && port !== 443) {
      throw new ForbiddenTargetError('port_not_allowed');
    }
  }

  /**
   * The addresses to which a connection for the URL may go. If one of several addresses is refused, all are: a name
   * with a private and a public address is an attack or a mistake.
   *
   * @throws ForbiddenTargetError
   */
  async addressesOf(url: URL): Promise<string[]> {
    this.checkUrl(url);
    const host = hostOf(url);
    if (isIP(host) !== 0) {
      return [host];
    }
    const isOpened = this.isOpened(host, url);
    const addresses = isOpened ? await this.resolver.resolveInner(host) : await this.resolver.resolvePublic(host);
    if (
      addresses.some((address) => this.isUnvouched(address, host, url)) ||
      (!isOpened && !addresses.every((address) => this.isAddressAllowed(address)))
    ) {
      throw new ForbiddenTargetError('address_not_public');
    }
    const { allowedHosts, isAllowedOnly = false } = this.policy;
    if (isAllowedOnly && !isOpened && !addresses.every((address) => allowedHosts.permitsAddress(address))) {
      throw new ForbiddenTargetError('host_not_allowed');
    }
    const isInner = addresses.length > 0 && addresses.every((address) => allowedHosts.permitsAddress(address));
    this.checkScheme(url, isOpened || isInner);
    if (addresses.length === 0) {
      throw new ForbiddenTargetError('unresolved');
    }
    return addresses;
  }

  private checkScheme(url: URL, isOpened: boolean): void {
    if (this.policy.isHttpsRequired && url.protocol !== 'https:' && !isOpened) {
      throw new ForbiddenTargetError('https_required');
    }
  }

  private isOpened(host: string, url: URL): boolean {
    return this.policy.allowedHosts.permitsHost(host, portOf(url));
  }

  private isVouched(host: string, url: URL): boolean {
    return this.policy.vouchedHosts?.permitsHost(host, portOf(url)) ?? true;
  }

  /** Whether the address is link-local, and the operator has named neither it nor its host. */
  private isUnvouched(address: string, host: string, url: URL): boolean {
    const { vouchedHosts } = this.policy;
    return (
      vouchedHosts !== undefined &&
      isLinkLocalAddress(address) &&
      !this.isVouched(host, url) &&
      !vouchedHosts.permitsAddress(address)
    );
  }

  private isAddressAllowed(address: string): boolean {
    return this.policy.allowedHosts.permitsAddress(address) || isPublicAddress(address);
  }
}

/** The machine completes a name without a dot from its own search list, so such a name is internal. */
function isInnerName(name: string): boolean {
  return !name.includes('.') || INNER_NAME.test(name);
}
