import type { ApiKeyEntity } from './api-key.entity';

/** Whether the key was neither revoked nor has expired. Its owner may still have lost access. */
export function isActive({ revokedAt, expiresAt }: Pick<ApiKeyEntity, 'revokedAt' | 'expiresAt'>, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

/** Whether the hash is that of the key's text, or of the text before the last rotation while that still works. */
export function isTextOf(
  { secretHash, previousHash, previousUntil }: Pick<ApiKeyEntity, 'secretHash' | 'previousHash' | 'previousUntil'>,
  hash: string,
  now: Date,
): boolean {
  return hash === secretHash || (hash === previousHash && previousUntil !== null && previousUntil > now);
}
