import { Injectable } from '@nestjs/common';
import { type EntityManager, type FindOperator, LessThanOrEqual } from 'typeorm';
import type { Order } from '../../../common/envelope/sort';
import type { ListPart } from '../../../common/envelope/total-count';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { adjacentPage, type Cursor, nextOf, sortedPage } from '../../../database/statements/list-rows';
import { allOf, idIn, type RowCondition, rowCondition } from '../../../database/statements/row-condition';
import { isHeld, LegalHolds } from '../../hold/hold.api';
import { RetentionDirectory } from '../../retention/retention.api';
import { ErasurePauseConfig } from '../../user/user.api';
import type { GenerationOutcome } from '../reply/reply-end';
import { spanColumns } from '../reply/reply-spans';
import type { RunningReply } from '../reply/running-reply';
import { FailedReplyEntity, LONGEST_PROVIDER_MESSAGE } from './failed-reply.entity';

/** Retention of failures in days, the same period that the overview shows. */
const KEPT_DAYS = 30;

/** Maximum number of stored failures per user, so that a user who provokes failures cannot fill the disk. */
export const MOST_OF_USER = 1_000;

/** Rows per transaction, so that other writers can work in between. */
const BATCH = 200;

/** Filters failures. An absent field filters nothing. */
export interface FailedReplyFilter {
  userId?: number;
  agentId?: number;
  provider?: string;
  model?: string;
  code?: string;
  failedAt?: FindOperator<Date>;
}

const NOT_HELD: RowCondition = {
  condition: `NOT ${isHeld('failed_replies.user_id', 'failed_replies.chat_id')}`,
  parameters: [],
};

const COLUMNS = { id: 'id', failed_at: 'failedAt' } as const;

/** A failed reply as other modules see it. */
export type FailedReply = Readonly<FailedReplyEntity>;

/** The failed replies of the last thirty days, at most the newest thousand per user. A legal hold keeps all. */
@Injectable()
export class FailedReplies {
  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly retention: RetentionDirectory,
    private readonly holds: LegalHolds,
    private readonly pause: ErasurePauseConfig,
  ) {}

  /** Within `Database.write`, where the end of the reply is stored. */
  async record(
    manager: EntityManager,
    reply: RunningReply,
    { failure, failedModel }: Pick<GenerationOutcome, 'failure' | 'failedModel'>,
    at: Date,
  ): Promise<void> {
    const { task, chatId, messageId } = reply;
    const code = failure?.code ?? 'INTERNAL_ERROR';
    // The reply fails with the error of its first model, even if fallback models were called after it.
    const request = reply.storedRequests.findLast(
      (tried) => tried.code === code && (failedModel === null || tried.provider === failedModel.provider),
    );
    await insertRow(manager, FailedReplyEntity, {
      messageId,
      chatId,
      code,
      userId: task.userId,
      agentId: task.agent.id,
      apiKeyId: task.apiKeyId,
      provider: failedModel?.provider ?? request?.provider ?? null,
      model: failedModel?.model ?? request?.model ?? null,
      providerStatus: request?.status ?? null,
      providerMessage: request?.said?.slice(0, LONGEST_PROVIDER_MESSAGE).toWellFormed() ?? null,
      failedAt: at,
      ...spanColumns(task),
    });
    await this.prune(manager, task.userId);
  }

  /** A page of failures. With a cursor, the order must be that of `id`. */
  page(
    filter: FailedReplyFilter,
    order: Order<keyof typeof COLUMNS>,
    { after, before, ...part }: { offset: number; limit: number } & Cursor,
  ): Promise<ListPart<FailedReply>> {
    if (after !== undefined || before !== undefined) {
      const bounds = { after, before, limit: part.limit };
      return adjacentPage(this.database.manager, FailedReplyEntity, filter, order.direction, bounds);
    }
    return sortedPage(this.database.manager, FailedReplyEntity, filter, order, COLUMNS, part);
  }

  /** The next failures of an export, newest first. @param lastId the last one of the previous batch. Absent: start */
  batch(filter: FailedReplyFilter, lastId: number | undefined): Promise<FailedReply[]> {
    return nextOf(this.database.manager, FailedReplyEntity, filter, lastId);
  }

  /** Deletes the oldest failures beyond the limit. An index makes the cost independent of their number. */
  private async prune(manager: EntityManager, userId: number): Promise<void> {
    const beyond = await findRows(
      manager,
      FailedReplyEntity,
      { userId },
      { members: ['id'], order: { id: 'DESC' }, limit: BATCH, offset: MOST_OF_USER },
    );
    if (beyond.length > 0) {
      await this.deleteFree(
        manager,
        beyond.map(({ id }) => id),
      );
    }
  }

  /** Deletes failures older than thirty days, unless a retention policy says when. */
  async purge(): Promise<void> {
    // A restored backup may lack a legal hold that keeps them.
    if (this.pause.RETENTION_PAUSED || this.retention.rules('failed_replies') !== null) {
      return;
    }
    const failedAt = LessThanOrEqual(new Date(this.clock.now().getTime() - KEPT_DAYS * DAY_MILLISECONDS));
    const due = allOf(rowCondition(this.database.manager, FailedReplyEntity, { failedAt }), NOT_HELD);
    for (;;) {
      const rows = await findRows(this.database.manager, FailedReplyEntity, due, { members: ['id'], limit: BATCH });
      if (rows.length === 0) {
        return;
      }
      const ids = rows.map(({ id }) => id);
      await this.database.write((manager) => this.deleteFree(manager, ids));
    }
  }

  private async deleteFree(manager: EntityManager, ids: readonly number[]): Promise<void> {
    await this.holds.lockForDeletion(manager);
    await deleteRows(manager, FailedReplyEntity, allOf(idIn(ids, 'failed_replies.id'), NOT_HELD));
  }
}
