import { isIP } from 'node:net';
import { type IPv4, type IPv6, isValid, isValidCIDR, parse, parseCIDR } from 'ipaddr.js';
import { isLinkLocalAddress, isMetadataName } from './link-local';

type Network = [IPv4 | IPv6, number];

/** Top-level names of private networks, of which all names may be allowed. */
const INNER_SUFFIX = /^\.(localhost|local|localdomain|internal|intranet|private|corp|home|lan)$/;

const HOST_ENTRY = /^(\*?\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*(:\d{1,5})?$/i;

/**
 * Hosts that the operator allows. An entry is a host (`hooks.example`), a host with port (`hooks:8080`), all names
 * below a suffix (`.internal`, `*.internal`), an address (`10.0.0.7`, `[fd00::7]:8080`) or a network (`10.0.0.0/8`).
 */
export class AllowedHosts {
  private readonly hosts = new Set<string>();
  private readonly suffixes: string[] = [];
  private readonly networks: Network[] = [];

  constructor(entries: readonly string[]) {
    for (const entry of entries.map((text) => text.toLowerCase())) {
      if (isValidCIDR(entry)) {
        this.networks.push(parseCIDR(entry));
      } else if (isValid(entry)) {
        this.hosts.add(parse(entry).toString());
      } else if (/^\*?\./.test(entry)) {
        this.suffixes.push(entry.replace(/^\*/, ''));
      } else {
        this.hosts.add(entry.replace(/^\[(.+)\]/, (_brackets, address: string) => parse(address).toString()));
      }
    }
  }

  /** Null if the operator lists nothing, which allows any host. */
  static listed(entries: readonly string[] | null): AllowedHosts | null {
    return entries === null || entries.length === 0 ? null : new AllowedHosts(entries);
  }

  /** Whether `entry` has one of the forms above. */
  static isEntry(entry: unknown): boolean {
    if (typeof entry !== 'string') {
      return false;
    }
    const bracketed = /^\[(.+)\](:\d{1,5})?$/.exec(entry);
    return (
      isValidCIDR(entry) || isValid(entry) || (bracketed ? isIP(bracketed[1] ?? '') === 6 : HOST_ENTRY.test(entry))
    );
  }

  /**
   * Whether `entry` names internal hosts and no others: not all names of a public top-level domain, and no network that
   * contains public or link-local addresses. Administrators may add such entries at run time.
   */
  static isInnerEntry(entry: unknown): boolean {
    if (!AllowedHosts.isEntry(entry)) {
      return false;
    }
    const text = (entry as string).toLowerCase().replace(/^\*(?=\.)/, '');
    if (isValidCIDR(text)) {
      const [, bits] = parseCIDR(text);
      return !isLinkLocalAddress(text.replace(/\/\d+$/, '')) && bits >= (text.includes(':') ? 7 : 8);
    }
    const host = text.replace(/^\[(.+)\](:\d+)?$/, '$1');
    if (isValid(host)) {
      return !isLinkLocalAddress(host);
    }
    const name = text.replace(/:\d+$/, '');
    return !isMetadataName(name.replace(/^\./, '')) && (!/^\.[^.]+$/.test(name) || INNER_SUFFIX.test(name));
  }

  /** Whether a name may also be allowed by its addresses. */
  get hasNetworks(): boolean {
    return this.networks.length > 0;
  }

  /** @param host a name in lower case without a final dot, or an address without brackets */
  permitsHost(host: string, port: number): boolean {
    return (
      this.hosts.has(host) ||
      this.hosts.has(`${host}:${port}`) ||
      this.suffixes.some((suffix) => host.endsWith(suffix) || `${host}:${port}`.endsWith(suffix))
    );
  }

  /** Whether a literal address lies in one of the networks. */
  permitsAddress(address: string): boolean {
    const parsed = parse(address);
    return this.networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
  }
}
