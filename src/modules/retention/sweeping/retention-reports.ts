import { Injectable } from '@nestjs/common';
import { Attention, type AttentionItem } from '../../../common/attention/attention';
import { growingCache } from '../../../common/cache/growing-cache';
import { HealthChecks } from '../../../common/health-checks';
import { gauge } from '../../../common/metrics/metrics';
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { tableOf } from '../../../database/statements/entity-columns';
import { findRow } from '../../../database/statements/find';
import { queryRows } from '../../../database/statements/query';
import { allOf } from '../../../database/statements/row-condition';
import { ErasurePauseConfig } from '../../user/user.api';
import { RetentionDirectory } from '../policies/retention-directory';
import { RETENTION_KINDS, type RetentionKind } from '../policies/retention-kinds';
import { dueRows, heldOnly, RetainedData } from './retained-data';
import { RetentionSweepEntity } from './retention-sweep.entity';
import { RetentionSweeper } from './retention-sweeper';

/** Data that is due for longer needs attention. */
const OVERDUE_MILLISECONDS = 2 * DAY_MILLISECONDS;

/** Counting stops here, so that reading the metrics takes no longer with more data. */
const MOST_COUNTED = 10_000;

/** How long a count is shown. Without an index for the kind, it reads all old rows. */
const COUNTED_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

type DueRows = { labels: { kind: string }; value: number }[];

/** Reports the state of retention in metrics, `/health` and the list of things that need attention. */
@Injectable()
export class RetentionReports {
  private readonly counted = growingCache<'due', DueRows>(1, { ttl: COUNTED_MILLISECONDS });

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly directory: RetentionDirectory,
    private readonly sweeper: RetentionSweeper,
    private readonly data: RetainedData,
    private readonly pause: ErasurePauseConfig,
    attention: Attention,
    health: HealthChecks,
  ) {
    attention.add(() => this.attention());
    if (pause.RETENTION_PAUSED) {
      health.add('retention', () => Promise.resolve({ status: 'down', reason: 'paused' }));
    }
    gauge('retention_due', 'Rows that are due, at most 10,000, counted every ten minutes', () => this.due(), ['kind']);
    gauge('retention_last_success_seconds', 'When the last retention sweep completed, in Unix seconds', () =>
      this.lastSuccess(),
    );
  }

  private async attention(): Promise<AttentionItem[]> {
    const paused: AttentionItem = { kind: 'retention_paused', since: null, count: 1, target: null };
    return [...(this.pause.RETENTION_PAUSED ? [paused] : []), ...(await this.behind())];
  }

  private async behind(): Promise<AttentionItem[]> {
    const items: AttentionItem[] = [];
    for (const kind of RETENTION_KINDS) {
      const since = await this.overdueSince(kind);
      if (since !== null) {
        items.push({ kind: 'retention_behind', since, count: 1, target: kind });
      }
    }
    return items;
  }

  /** When the oldest row that is two days overdue was due. A new policy makes old data due only from then on. */
  private async overdueSince(kind: RetentionKind): Promise<Date | null> {
    const rules = this.directory.rules(kind);
    const now = this.clock.now().getTime();
    const isNew = this.directory.policies.some(
      (policy) => policy.kind === kind && policy.effectiveAt.getTime() > now - OVERDUE_MILLISECONDS,
    );
    const found: number[] = [];
    for (const due of rules === null || isNew ? [] : this.sweeper.classesOf(rules)) {
      const overdue = { ...due, cutoff: new Date(due.cutoff.getTime() - OVERDUE_MILLISECONDS) };
      for (const rows of this.data.of(kind)) {
        const { manager } = this.database;
        const condition = allOf(dueRows(manager, rows, overdue, new Date(now)), heldOnly(rows, false));
        const order = { [rows.at]: 'ASC' as const };
        const row = await findRow(manager, rows.entity, condition, { members: [rows.at], order, withDeleted: true });
        found.push(...(row ? [(row[rows.at] as Date).getTime() + now - due.cutoff.getTime()] : []));
      }
    }
    return found.length === 0 ? null : new Date(Math.min(...found));
  }

  private async due(): Promise<DueRows> {
    const kept = this.counted.get('due');
    if (kept !== undefined) {
      return kept;
    }
    const rows = await Promise.all(
      RETENTION_KINDS.map(async (kind) => ({ labels: { kind }, value: await this.countDue(kind) })),
    );
    this.counted.set('due', rows);
    return rows;
  }

  private async countDue(kind: RetentionKind): Promise<number> {
    const rules = this.directory.rules(kind);
    let count = 0;
    for (const due of rules === null ? [] : this.sweeper.classesOf(rules)) {
      for (const rows of this.data.of(kind)) {
        const { manager } = this.database;
        const { condition, parameters } = allOf(dueRows(manager, rows, due, this.clock.now()), heldOnly(rows, false));
        const { name } = tableOf(manager.dataSource, rows.entity);
        const some = `SELECT 1 AS is_due FROM ${name} WHERE ${condition} LIMIT ${MOST_COUNTED}`;
        const [row] = await queryRows<{ due: number }>(
          manager,
          `SELECT COUNT(*) AS due FROM (${some}) AS due_rows`,
          parameters,
        );
        count += Number(row?.due ?? 0);
      }
    }
    return Math.min(count, MOST_COUNTED);
  }

  private async lastSuccess(): Promise<number> {
    const sweep = await findRow(
      this.database.manager,
      RetentionSweepEntity,
      { status: 'completed' },
      { members: ['endedAt'], order: { id: 'DESC' } },
    );
    return sweep?.endedAt ? sweep.endedAt.getTime() / SECOND_MILLISECONDS : NaN;
  }
}
