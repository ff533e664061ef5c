/**
 * Who tries something at an account, as those see it who count attempts. Nobody but its owner can become a client that the
 * account knows, so strangers together cannot use up what such a client may try.
 */
export interface AccountClient {
  /** The address of the account, whether or not there is one. */
  email: string;
  /** What tells this client from others: its device, its address or its session. */
  name: string;
  /** Whether it has signed in to the account lately. */
  isKnown: boolean;
  /** What a code is about besides the address: it opens nothing else. Absent: nothing. */
  about?: string;
}

/** What a code is made for: one about something is another than that of the address. */
export function codeSubject({ email, about }: AccountClient): string {
  return about === undefined ? email : `${email}\n${about}`;
}

/** What this client alone has done at the account is counted under this name. */
export function ownCounter({ email, name }: AccountClient): string {
  return `${email}\n${name}`;
}

/** A client that the account knows has a counter of its own. All others have one together. */
export function sharedCounter(client: AccountClient): string {
  return client.isKnown ? ownCounter(client) : client.email;
}
