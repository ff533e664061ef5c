/**
 * A client that attempts something at an account, as attempt counters see it. Only the account's owner can make a
 * client known, so attackers cannot use up the attempts of a known client.
 */
export interface AccountClient {
  /** The address of the attempt, whether or not it has an account. */
  email: string;
  /** Identifies the client by its device, IP address or session. */
  name: string;
  /** Whether it has recently signed in to the account. */
  isKnown: boolean;
  /** Context that a code is bound to in addition to the address. Absent if there is none. */
  about?: string;
}

/** The subject of a code. A code with a context differs from a code for the address alone. */
export function codeSubject({ email, about }: AccountClient): string {
  return about === undefined ? email : `${email}\n${about}`;
}

/** Name of the counter of this client at the account. */
export function ownCounter({ email, name }: AccountClient): string {
  return `${email}\n${name}`;
}

/** A known client has its own counter. All other clients share one. */
export function sharedCounter(client: AccountClient): string {
  return client.isKnown ? ownCounter(client) : client.email;
}
