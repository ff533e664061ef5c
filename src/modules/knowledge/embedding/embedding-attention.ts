import { Injectable } from '@nestjs/common';
import { Attention, type AttentionItem } from '../../../common/attention/attention';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { queryRows } from '../../../database/statements/query';
import { KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';

/** Files whose vectors the embedding model refused, and that are to be embedded again. */
const FAILING = `SELECT COUNT(*) AS files, MIN(entry.id) AS first FROM knowledge_jobs job
  JOIN knowledge_entries entry ON entry.id = job.entry_id
  WHERE job.state IN ('queued', 'running') AND job.kind = 'embed' AND entry.warning = 'embeddings_failed'`;

/** Reports to administrators that the embedding model fails. */
@Injectable()
export class EmbeddingAttention {
  constructor(
    private readonly database: Database,
    attention: Attention,
  ) {
    attention.add(() => this.items());
  }

  private async items(): Promise<AttentionItem[]> {
    const { manager } = this.database;
    const [row] = await queryRows<{ files: number | string; first: number | null }>(manager, FAILING, []);
    const count = Number(row?.files ?? 0);
    if (count === 0) {
      return [];
    }
    const oldest = await findRow(manager, KnowledgeEntryEntity, { id: row?.first ?? 0 });
    return [{ kind: 'embeddings_failing', since: oldest?.completedAt ?? null, count, target: null }];
  }
}
