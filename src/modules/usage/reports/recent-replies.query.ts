import { Injectable } from '@nestjs/common';
import { And, LessThan, MoreThanOrEqual } from 'typeorm';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { UsageEntryEntity } from '../usage-entry.entity';

/** The outcome of a reply. */
export interface RecentReply {
  model: string;
  status: string | null;
  firstTokenMs: number | null;
}

/** The most recent replies, from the ledger. It no longer contains those of erased accounts. */
@Injectable()
export class RecentRepliesQuery {
  constructor(private readonly database: Database) {}

  /** @param messages how many of the newest rows to read, of any role */
  async newest(ids: { from: number; below: number }, since: Date, messages: number): Promise<RecentReply[]> {
    const rows = await findRows(
      this.database.manager,
      UsageEntryEntity,
      { messageId: And(MoreThanOrEqual(ids.from), LessThan(ids.below)) },
      {
        members: ['role', 'model', 'status', 'firstTokenMs', 'createdAt'],
        order: { messageId: 'DESC' },
        limit: messages,
      },
    );
    return rows.flatMap(({ role, model, status, firstTokenMs, createdAt }) =>
      role === 'assistant' && model !== null && createdAt >= since ? [{ model, status, firstTokenMs }] : [],
    );
  }
}
