import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { IdempotencyService, type RepeatableRequest } from '../generation/generation.api';

/** What is known of a change of one row. */
interface ChangedRow<Result> {
  /** The id of the row. */
  idOf: (result: Result) => number;
  /** The row at present. */
  read: (id: number) => Promise<Result>;
}

/** Makes changes of single rows once for each `Idempotency-Key`. */
@Injectable()
export class RepeatedChanges {
  constructor(
    private readonly database: Database,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * @param change runs in a transaction
   * @throws IdempotencyConflictError, the errors of `change` and `read`
   */
  run<Result>(
    request: RepeatableRequest,
    change: () => Promise<Result>,
    { idOf, read }: ChangedRow<Result>,
  ): Promise<Result> {
    const serve = (): Promise<Result> =>
      this.database.write(async (manager) => {
        const result = await change();
        // The key's row names this row where it names a conversation for a message.
        const kept = { chatId: idOf(result), userMessageId: null, messageId: null };
        await this.idempotency.keep(manager, request, kept);
        return result;
      });
    return request.key === null ? change() : this.idempotency.once(request, serve, ({ chatId }) => read(chatId));
  }
}
