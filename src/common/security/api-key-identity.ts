import type { Principal } from './principal';

/** The prefix of every API key. */
export const API_KEY_PREFIX = 'ck_';

/** Finds the owner of an API key. The module that issues keys provides it. */
export abstract class ApiKeyIdentity {
  /**
   * @param key the text after `Bearer`
   * @throws ApiKeyInvalidError if the key does not exist or has ended, or its owner's account is closed
   * @throws ApiKeyExpiredError if the owner has not signed in for too long
   * @throws AccountBannedError while the owner is banned, IdentitySuspendedError while the account is suspended
   */
  abstract principalOf(key: string): Promise<Principal>;

  /**
   * Finds the owner by the hash of the key (`Principal.apiKeyHash`), for resources that were created with the key and
   * end with it.
   */
  abstract principalOfHash(hash: string): Promise<Principal>;

  /** Reads the key with this hash from the database at its next request. */
  abstract reread(hash: string): void;
}
