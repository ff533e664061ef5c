import type { Principal } from './principal';

/** How every API key begins. */
export const API_KEY_PREFIX = 'ck_';

/** Finds the owner of an API key. The module that makes keys provides it. */
export abstract class ApiKeyIdentity {
  /**
   * @param key the text behind `Bearer`
   * @throws ApiKeyInvalidError when there is no such key, or it has ended, or its owner's account is closed.
   * @throws ApiKeyExpiredError while the owner has not signed in for too long.
   * @throws AccountBannedError while the owner is banned, IdentitySuspendedError while the account is suspended.
   */
  abstract principalOf(key: string): Promise<Principal>;

  /** The same by the hash of that text (`Principal.apiKeyHash`), for what was made with the key and ends with it. */
  abstract principalOfHash(hash: string): Promise<Principal>;
}
