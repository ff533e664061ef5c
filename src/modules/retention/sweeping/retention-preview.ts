import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { countRows, findRow, findRows } from '../../../database/statements/find';
import { allOf } from '../../../database/statements/row-condition';
import { RetentionDirectory } from '../policies/retention-directory';
import { RETENTION_KINDS, type RetentionKind } from '../policies/retention-kinds';
import type { Policy } from '../policies/retention-rules';
import type { DueClass } from '../policies/retention-rules';
import { dueRows, heldOnly, RetainedData, type RetainedRows } from './retained-data';
import { RetentionSweeper } from './retention-sweeper';

const MOST_SAMPLES = 20;

/** What a sweep would do with data of one kind. */
export interface KindPreview {
  kind: RetentionKind;
  count: number;
  messages?: number;
  bytes?: number;
  oldest: Date | null;
  held: number;
  sample: number[];
}

/** Counts what is due, with the conditions of the sweep. */
@Injectable()
export class RetentionPreview {
  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly directory: RetentionDirectory,
    private readonly data: RetainedData,
    private readonly sweeper: RetentionSweeper,
  ) {}

  /** @param policies absent: those in force */
  async of(policies?: readonly Policy[]): Promise<KindPreview[]> {
    const previews: KindPreview[] = [];
    for (const kind of RETENTION_KINDS) {
      const rules = this.directory.rules(kind, policies);
      const preview: KindPreview = { kind, count: 0, oldest: null, held: 0, sample: [] };
      for (const due of rules === null ? [] : this.sweeper.classesOf(rules)) {
        for (const rows of this.data.of(kind)) {
          await this.add(preview, rows, due);
        }
      }
      if (rules !== null) {
        previews.push(preview);
      }
    }
    return previews;
  }

  private async add(preview: KindPreview, rows: RetainedRows, due: DueClass): Promise<void> {
    const { manager } = this.database;
    const condition = dueRows(manager, rows, due, this.clock.now());
    const free = allOf(condition, heldOnly(rows, false));
    const areHeld = rows.held !== null;
    const withDeleted = true;
    preview.count += await countRows(manager, rows.entity, free, { withDeleted });
    preview.held += areHeld
      ? await countRows(manager, rows.entity, allOf(condition, heldOnly(rows, true)), { withDeleted })
      : 0;
    const order = { [rows.at]: 'ASC' as const, [rows.id]: 'ASC' as const };
    const oldest = await findRow(manager, rows.entity, free, { members: [rows.at], order, withDeleted });
    const at = (oldest?.[rows.at] as Date | undefined) ?? null;
    preview.oldest = at !== null && (preview.oldest === null || at < preview.oldest) ? at : preview.oldest;
    const limit = MOST_SAMPLES - preview.sample.length;
    const sample =
      limit > 0 ? await findRows(manager, rows.entity, free, { members: [rows.id], order, limit, withDeleted }) : [];
    preview.sample.push(...sample.map((row) => row[rows.id] as number));
    await this.measure(manager, preview, rows, free);
  }

  private async measure(
    manager: EntityManager,
    preview: KindPreview,
    { measure }: RetainedRows,
    due: ReturnType<typeof allOf>,
  ): Promise<void> {
    const { messages, bytes } = (await measure?.(manager, due)) ?? {};
    if (messages !== undefined) {
      preview.messages = (preview.messages ?? 0) + messages;
    }
    if (bytes !== undefined) {
      preview.bytes = (preview.bytes ?? 0) + bytes;
    }
  }
}
