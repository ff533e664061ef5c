import type { Principal } from '../../src/common/security/principal';
import { Database } from '../../src/database/database';
import { insertRow } from '../../src/database/statements/insert';
import type { SearchWeights } from '../../src/modules/knowledge/search/fusion';
import { KnowledgeSearch, type SearchOutcome } from '../../src/modules/knowledge/search/knowledge-search';
import { KnowledgeStoreEntity } from '../../src/modules/knowledge/tables/knowledge-store.entity';
import { createUser } from '../../test/support/accounts';
import type { startInstance } from '../../test/support/test-app';

export type Instance = Awaited<ReturnType<typeof startInstance>>;

/** A user with a collection. */
export interface Searcher {
  userId: number;
  storeId: number;
}

export async function newSearcher(instance: Instance): Promise<Searcher> {
  const { user } = await createUser(instance);
  return { userId: user.id, storeId: await newStore(instance, user.id) };
}

export async function newStore(instance: Instance, ownerId: number): Promise<number> {
  const now = new Date();
  return instance.app.get(Database).write((manager) =>
    insertRow(manager, KnowledgeStoreEntity, {
      ownerId,
      chatId: null,
      name: 'Bench',
      description: null,
      metadata: {},
      everyone: null,
      trusted: false,
      lastActiveAt: now,
      expiresAfterDays: null,
      expiresAt: null,
      expiredAt: null,
      createdAt: now,
      updatedAt: now,
    }),
  );
}

export function search(
  instance: Instance,
  { userId, storeId }: Searcher,
  query: string,
  weights: SearchWeights,
): Promise<SearchOutcome> {
  const caller = { userId } as Principal;
  const options = { queries: [query], filter: null, limit: 10, threshold: 0, weights };
  return instance.app.get(KnowledgeSearch).search(caller, [storeId], options);
}
