/** Resolves names to addresses. It is a separate class, so that tests can choose the addresses of a name. */
export abstract class NameResolver {
  /**
   * All addresses of a name that any user may have chosen, IPv4 before IPv6; empty if there are none. Slow name servers
   * must not block anything that the rest of the process needs.
   */
  abstract resolvePublic(name: string): Promise<string[]>;

  /** All addresses of a name that the operator allows, as this machine resolves it, including its hosts file. */
  abstract resolveInner(name: string): Promise<string[]>;
}
