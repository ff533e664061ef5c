/** Turns names into addresses. A seam: tests let a name point wherever they need it. */
export abstract class NameResolver {
  /**
   * All addresses of a name that anybody may have chosen, IPv4 before IPv6; empty when there is none. It must not
   * occupy anything that the rest of the process needs, however slowly the name's servers answer.
   */
  abstract resolvePublic(name: string): Promise<string[]>;

  /** The same for a name that the operator opened, as this machine knows it: its hosts file included. */
  abstract resolveInner(name: string): Promise<string[]>;
}
