import type { EntityManager } from 'typeorm';
import { execute } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { GenerationEntity } from '../generation.entity';
import { NOTHING_RELEASED, type Released, type ReplyOrigin, type ReplyPlace } from '../reply/reply-origin';
import type { Turn } from '../reply/turn';
import type { Ended, EndedRow, WrittenReply } from '../reply/written-reply';

const DROP = "DELETE FROM generations WHERE id = ? AND status = 'streaming'";

/** A request that brought its whole context. Its row holds the reply until its end, or for a day. */
export class StatelessOrigin implements ReplyOrigin {
  readonly choosesTurns = false;

  /**
   * @param context what the model is told
   * @param keepsSteps whether the reply stays for repetitions of its request; otherwise its row goes when it ends
   * @param promptTokens of a context that is not known any more
   */
  constructor(
    readonly place: ReplyPlace,
    private readonly context: readonly Turn[],
    readonly keepsSteps: boolean,
    readonly promptTokens: number | null = null,
  ) {}

  turns(): Promise<readonly Turn[]> {
    return Promise.resolve(this.context);
  }

  async storeEnd(manager: EntityManager, { reply: { messageId } }: Ended, row: EndedRow): Promise<boolean> {
    return this.keepsSteps ? store(manager, messageId, row) : (await execute(manager, DROP, [messageId])).affected > 0;
  }

  release(): Promise<Released> {
    return Promise.resolve(NOTHING_RELEASED);
  }

  storeLeast(manager: EntityManager, { messageId }: WrittenReply, row: Partial<EndedRow>): Promise<boolean> {
    return store(manager, messageId, row);
  }

  afterEnd(): void {
    // Nothing follows: it belongs to nobody but its readers.
  }
}

async function store(manager: EntityManager, id: number, row: Partial<EndedRow>): Promise<boolean> {
  return (await updateRows(manager, GenerationEntity, row, "id = ? AND status = 'streaming'", [id])) > 0;
}
