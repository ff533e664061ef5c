import { Injectable } from '@nestjs/common';
import type { AuditedChange } from '../../../common/audit/audit-definition';
import { DomainEvents } from '../../../common/events/domain-events';
import { deleteRows } from '../../../database/statements/delete';
import { KnowledgeStoreGroupEntity } from '../tables/knowledge-store.entity';

/** Removes deleted groups from the collections that were shared with them, in the transaction of the deletion. */
@Injectable()
export class StoreGroups {
  constructor(events: DomainEvents) {
    events.on('audit.group.delete', async ({ data }, manager) => {
      const { targetId } = data as AuditedChange;
      await deleteRows(manager, KnowledgeStoreGroupEntity, { groupId: Number(targetId) });
    });
  }
}
