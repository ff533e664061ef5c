import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../../common/clock';
import { type ActionBudget, ActionBudgets } from '../../../common/rate-limit/action-budgets';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { TooManyExportsError } from '../account/user.errors';
import { toListJson } from './export-row';
import { PersonalDataRegistry, type PersonalDataSource } from './personal-data-registry';

/**
 * How much is produced before the client has read what was sent. An object stream would count rows, and a single row
 * may be a large file.
 */
const BUFFERED_BYTES = 65_536;

/**
 * Concurrent exports of a user. Each reads all the user's data, and many of them would starve other users' requests.
 */
const MOST_AT_ONCE = 2;

/** Each export reads all the user's data. */
const EXPORTS: ActionBudget = { name: 'export', limit: 6, milliseconds: HOUR_MILLISECONDS };

/** Writes all data that the service stores about a user, as fast as the client reads it. */
@Injectable()
export class PersonalDataExport {
  /** Running exports by user. */
  private readonly underWay = new Map<number, number>();

  constructor(
    private readonly clock: Clock,
    private readonly registry: PersonalDataRegistry,
    private readonly budgets: ActionBudgets,
  ) {}

  /**
   * @param response the export counts until this is closed
   * @throws TooManyExportsError, RateLimitExceededError
   */
  async of(userId: number, response: Response): Promise<StreamableFile> {
    this.count(userId, response);
    await this.budgets.take(EXPORTS, userId);
    // If a row cannot be read, Nest closes the connection. Nothing else can show that the file is incomplete.
    const content = Readable.from(this.write(userId), { objectMode: false, highWaterMark: BUFFERED_BYTES });
    return new StreamableFile(content, {
      type: 'application/json; charset=utf-8',
      disposition: `attachment; filename="export-${userId}.json"`,
    });
  }

  private count(userId: number, response: Response): void {
    const others = this.underWay.get(userId) ?? 0;
    if (others >= MOST_AT_ONCE) {
      throw new TooManyExportsError(MOST_AT_ONCE);
    }
    // A response that is already closed does not emit `close` again.
    if (!response.destroyed) {
      this.underWay.set(userId, others + 1);
      response.once('close', () => this.free(userId));
    }
  }

  private free(userId: number): void {
    const others = (this.underWay.get(userId) ?? 0) - 1;
    if (others > 0) {
      this.underWay.set(userId, others);
    } else {
      this.underWay.delete(userId);
    }
  }

  private async *write(userId: number): AsyncGenerator<string> {
    yield `{"exported_at":${JSON.stringify(this.clock.now())},"user_id":${userId}`;
    const { sources } = this.registry;
    for (const name of new Set(sources.map((source) => source.name))) {
      yield `,${JSON.stringify(name)}:`;
      yield* toListJson(
        rowsOf(
          sources.filter((source) => source.name === name),
          userId,
        ),
      );
    }
    yield '}\n';
  }
}

async function* rowsOf(sources: readonly PersonalDataSource[], userId: number): AsyncGenerator<object> {
  for (const source of sources) {
    yield* source.rows(userId);
  }
}
