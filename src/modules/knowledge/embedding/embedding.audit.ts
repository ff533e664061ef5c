import { defineAudit } from '../../../common/audit/audit-definition';

/** The audit log's state of the embedding model. */
export const embeddingAudit = defineAudit<{ provider: string; model: string; dimensions: number | null }>({
  subject: 'embedding_model',
  state: ({ provider, model, dimensions }) => ({ provider, model, dimensions }),
  personal: [],
});
