import type { AdminWrites } from './admin-call';

/** Calls for collections and their embedding model. */
export const KNOWLEDGE_WRITES: AdminWrites = {
  'PUT /api/v1/admin/knowledge/embedding': ({ embeddingProvider }) => ({
    path: '/admin/knowledge/embedding',
    body: { provider: embeddingProvider, model: 'text-embedding-3-small' },
    action: 'embedding_model.update',
    target: 'embedding_model',
  }),
  'DELETE /api/v1/admin/knowledge/embedding': () => ({
    path: '/admin/knowledge/embedding',
    action: 'embedding_model.delete',
    target: 'embedding_model',
  }),
  'PUT /api/v1/admin/knowledge/{id}': ({ storeId, admin }) => ({
    path: `/admin/knowledge/${storeId}`,
    body: { trusted: true },
    action: 'knowledge.update',
    target: `knowledge:${storeId}`,
    subject: admin.user.id,
  }),
  'DELETE /api/v1/admin/knowledge/{id}': ({ storeId, admin }) => ({
    path: `/admin/knowledge/${storeId}`,
    action: 'knowledge.delete',
    target: `knowledge:${storeId}`,
    subject: admin.user.id,
  }),
};
