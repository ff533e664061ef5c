import { ExponentialBackoff, handleType, retry } from 'cockatiel';
import type { EntityManager } from 'typeorm';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { findRow, rowExists } from '../../../database/statements/find';
import { ChatEntity } from './chat.entity';
import { ChatNotFoundError } from './chat.errors';

/** How long a request waits for a conversation that another transaction has locked. */
const LONGEST_WAIT_MILLISECONDS = 8_000;

const pauses = new ExponentialBackoff({ initialDelay: 20, maxDelay: 500 });

/** Another transaction has locked the conversation. `repeatWhileLocked` handles it; clients never see it. */
export class ChatLockedError extends Error {
  constructor() {
    super('Another transaction has locked the conversation.');
  }
}

/**
 * Reads and locks a conversation without waiting. Call it within `Database.write`.
 *
 * @throws ChatLockedError, ChatNotFoundError
 */
export async function findUnlocked(manager: EntityManager, id: number, userId: number): Promise<ChatEntity> {
  const where = { id, userId };
  const chat = await findRow(manager, ChatEntity, where, { lock: 'skip' });
  if (chat === null) {
    throw (await rowExists(manager, ChatEntity, where)) ? new ChatLockedError() : new ChatNotFoundError();
  }
  return chat;
}

/**
 * Repeats a transaction while its conversation is locked. It holds no locks between two attempts, so the user's other
 * conversations do not wait.
 *
 * @throws ServiceUnavailableError if the conversation stays locked, and the errors of `transact`
 */
export async function repeatWhileLocked<Result>(transact: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + LONGEST_WAIT_MILLISECONDS;
  const locked = handleType(ChatLockedError, () => performance.now() < deadline);
  try {
    return await retry(locked, { maxAttempts: Infinity, backoff: pauses }).execute(transact);
  } catch (error) {
    throw error instanceof ChatLockedError ? new ServiceUnavailableError(error) : error;
  }
}
