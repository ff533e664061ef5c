import { defineAudit } from '../../common/audit/audit-definition';
import type { KnowledgeStoreEntity, KnowledgeStoreGroupEntity } from './tables/knowledge-store.entity';

/** A collection with the groups that it is shared with. */
export interface AuditedStore extends Pick<
  KnowledgeStoreEntity,
  'name' | 'description' | 'ownerId' | 'everyone' | 'trusted'
> {
  groups: readonly Pick<KnowledgeStoreGroupEntity, 'groupId' | 'role'>[];
}

/** The audit log's state of a collection. */
export const knowledgeAudit = defineAudit<AuditedStore>({
  subject: 'knowledge',
  state: ({ name, description, ownerId, everyone, trusted, groups }) => ({
    name,
    description,
    owner_id: ownerId,
    everyone,
    trusted,
    groups: groups.map(({ groupId, role }) => `${groupId}:${role}`),
  }),
  personal: ['name', 'description'],
});
