import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { queryRows } from '../../../database/statements/query';
import { idList } from '../../../database/statements/rows-by-id';
import { UserDirectoryQuery } from '../../user/user.api';
import type { EntryStatus } from '../tables/knowledge-entry.entity';
import type { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';
import { CollectionModes } from './collection-mode';
import type { FoundStore } from './readable-stores';
import { type FileCountsDto, type KnowledgeDto, noCounts } from './store.dto';
import { type StoreAccess, StoreAccesses } from './store-access';
import { isExpired } from './store-activity';

/** What a collection contains. */
export interface StoreContents {
  files: FileCountsDto;
  passages: number;
  usageBytes: number;
}

interface CountedEntries {
  store_id: number;
  status: EntryStatus;
  files: number | string;
  passages: number | string;
  bytes: number | string;
}

/** Collections as callers see them, with a fixed number of queries for any number of collections. */
@Injectable()
export class StoreViews {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accesses: StoreAccesses,
    private readonly users: UserDirectoryQuery,
    private readonly modes: CollectionModes,
  ) {}

  async describe(found: FoundStore): Promise<KnowledgeDto> {
    return (await this.describeAll([found]))[0] as KnowledgeDto;
  }

  async describeAll(found: readonly FoundStore[]): Promise<KnowledgeDto[]> {
    const stores = found.map(({ store }) => store);
    const [contents, groups, names, mode] = await Promise.all([
      this.contentsOf(stores),
      this.accesses.groupsOf(stores.map(({ id }) => id)),
      this.users.usernames(stores.flatMap(({ ownerId }) => ownerId ?? [])),
      this.modes.current(),
    ]);
    return found.map(({ store, role }) => {
      const access = { everyone: store.everyone, groups: groups.get(store.id) ?? [] };
      const { files, passages, usageBytes } = contents.get(store.id) as StoreContents;
      return {
        id: store.id,
        name: store.name,
        description: store.description,
        owner: store.ownerId === null ? null : { id: store.ownerId, username: names.get(store.ownerId) ?? null },
        my_role: role,
        access: role === 'reader' ? null : toAccessDto(access),
        trusted: store.trusted,
        files,
        passages,
        usage_bytes: usageBytes,
        mode,
        expires_at: store.expiresAt?.toISOString() ?? null,
        created_at: store.createdAt.toISOString(),
        updated_at: store.updatedAt.toISOString(),
      };
    });
  }

  /** What each collection contains. Nothing, if it has expired. */
  async contentsOf(stores: readonly KnowledgeStoreEntity[]): Promise<Map<number, StoreContents>> {
    const contents = new Map(stores.map(({ id }) => [id, { files: noCounts(), passages: 0, usageBytes: 0 }]));
    const now = this.clock.now();
    const living = stores.filter((store) => !isExpired(store, now)).map(({ id }) => id);
    if (living.length > 0) {
      const rows = await queryRows<CountedEntries>(
        this.database.manager,
        `SELECT store_id, status, COUNT(*) AS files, SUM(passages) AS passages, SUM(usage_bytes) AS bytes
         FROM knowledge_entries WHERE store_id IN ${idList(living)} GROUP BY store_id, status`,
      );
      for (const { store_id, status, files, passages, bytes } of rows) {
        const store = contents.get(Number(store_id)) as StoreContents;
        store.files[status] = Number(files);
        store.files.total += Number(files);
        store.passages += Number(passages);
        store.usageBytes += Number(bytes);
      }
    }
    return contents;
  }
}

export function toAccessDto({ everyone, groups }: StoreAccess): Required<KnowledgeDto>['access'] & object {
  return { everyone, groups: groups.map(({ groupId, role }) => ({ group_id: groupId, role })) };
}
