import { Injectable, Logger } from '@nestjs/common';
import { In, LessThanOrEqual, Not } from 'typeorm';
import { HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { FailedReplies } from './failures/failed-replies';
import { GenerationEntity } from './generation.entity';
import { IdempotencyService } from './idempotency/idempotency.service';
import { ReplyPieces } from './pieces/reply-pieces';

/** Rows per transaction, so that other writers can work in between. */
const BATCH = 200;

/**
 * Deletes expired idempotency keys, the replies stored for them, leftover pieces of long replies, and failures after
 * thirty days.
 */
@Injectable()
export class GenerationRetention {
  private readonly logger = new Logger(GenerationRetention.name);

  constructor(
    private readonly database: Database,
    private readonly idempotency: IdempotencyService,
    private readonly pieces: ReplyPieces,
    private readonly failures: FailedReplies,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.purge(),
      onError: (error) => this.logger.warn({ error }, 'Keys of repeated requests could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /** Deletes everything that is due. */
  async purge(): Promise<null> {
    const { expiredAt } = this.idempotency;
    await this.idempotency.purge();
    await this.pieces.sweep();
    await this.failures.purge();
    const due = { updatedAt: LessThanOrEqual(expiredAt), status: Not('streaming' as const) };
    for (;;) {
      const rows = await findRows(this.database.manager, GenerationEntity, due, { members: ['id'], limit: BATCH });
      if (rows.length === 0) {
        return null;
      }
      const ids = rows.map(({ id }) => id);
      await this.database.write((manager) => deleteRows(manager, GenerationEntity, { id: In(ids) }));
    }
  }
}
