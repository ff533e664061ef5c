/** Turns names into addresses. An own class, so that tests can let a name point wherever they need it. */
export abstract class NameResolver {
  /**
   * All addresses of a name that anybody may have chosen, IPv4 before IPv6; empty when there is none. Even when the
   * name's servers answer slowly, it must not occupy anything that the rest of the process needs.
   */
  abstract resolvePublic(name: string): Promise<string[]>;

  /** The same for a name that the operator allows, as this machine resolves it, with its hosts file. */
  abstract resolveInner(name: string): Promise<string[]>;
}
