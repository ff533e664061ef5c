import { Injectable } from '@nestjs/common';
import { Attention, type AttentionItem } from '../../common/attention/attention';
import { Clock } from '../../common/clock';
import { HealthChecks, type PartHealth } from '../../common/health-checks';
import { gauge } from '../../common/metrics/metrics';
import { DAY_MILLISECONDS } from '../../common/time';
import { Database } from '../../database/database';
import { queryRows } from '../../database/statements/query';
import { EmbeddingModels } from '../../integrations/llm/embedding-models';
import { EmbeddingSettings } from './embedding/embedding-settings';
import { ENTRY_STATUSES } from './tables/knowledge-entry.entity';

/** Failures older than this need no attention. */
const RECENT_MILLISECONDS = DAY_MILLISECONDS;

/** Most failures that are counted. */
const MOST_COUNTED = 1_000;

/** What operators see of files in collections: metrics, failures by our own fault, and the health of searches. */
@Injectable()
export class KnowledgeFigures {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settings: EmbeddingSettings,
    private readonly models: EmbeddingModels,
    attention: Attention,
    health: HealthChecks,
  ) {
    gauge('knowledge_files', 'Files in collections, by status', () => this.files(), ['status']);
    attention.add(() => this.failures());
    health.add('knowledge', () => this.health());
  }

  /** Searches by words always work; with an embedding model, the last request to it on this instance decides. */
  private async health(): Promise<PartHealth> {
    const current = await this.settings.current();
    if (current === null) {
      return { status: 'up', detail: 'words' };
    }
    const { at, reason = null } = this.models.lastOutcomeOf(current) ?? {};
    return {
      status: reason === null ? 'up' : 'down',
      detail: 'hybrid',
      ...(at && { checked_at: at.toISOString() }),
      ...(reason !== null && { reason }),
    };
  }

  private async files(): Promise<{ labels: { status: string }; value: number }[]> {
    const rows = await queryRows<{ status: string; files: number | string }>(
      this.database.manager,
      'SELECT status, COUNT(*) AS files FROM knowledge_entries GROUP BY status',
    );
    return ENTRY_STATUSES.map((status) => ({
      labels: { status },
      value: Number(rows.find((row) => row.status === status)?.files ?? 0),
    }));
  }

  /** Files that failed within a day because of the service, not of their content. */
  private async failures(): Promise<AttentionItem[]> {
    const since = new Date(this.clock.now().getTime() - RECENT_MILLISECONDS);
    const failed =
      "SELECT completed_at FROM knowledge_entries WHERE status = 'failed' AND completed_at >= ? " +
      "AND error_code IN ('internal', 'timeout', 'memory') ORDER BY completed_at LIMIT ?";
    const rows = await queryRows<{ completed_at: string | Date }>(this.database.manager, failed, [since, MOST_COUNTED]);
    const [oldest] = rows;
    return oldest === undefined
      ? []
      : [{ kind: 'knowledge_failed', since: timeOf(oldest.completed_at), count: rows.length, target: null }];
  }
}

/** SQLite returns times as text without a zone: UTC. */
function timeOf(stored: string | Date): Date {
  return stored instanceof Date ? stored : new Date(`${stored.replace(' ', 'T')}Z`);
}
