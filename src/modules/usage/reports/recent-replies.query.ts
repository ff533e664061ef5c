import { Injectable } from '@nestjs/common';
import { And, LessThan, MoreThanOrEqual } from 'typeorm';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { UsageEntryEntity } from '../usage-entry.entity';

/** How a reply went. */
export interface RecentReply {
  model: string;
  status: string | null;
  firstTokenMs: number | null;
}

/** The replies that came last, from the ledger: those of erased accounts are not there any more. */
@Injectable()
export class RecentRepliesQuery {
  constructor(private readonly database: Database) {}

  /** @param messages how many rows are looked at, the newest first, whatever they are */
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
