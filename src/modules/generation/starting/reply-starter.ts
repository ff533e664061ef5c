import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../../../common/lifecycle';
import type { Spender } from '../../usage/usage.api';
import { ReplyLife } from '../cluster/reply-locator';
import { IdempotencyService, type RepeatableRequest, type RequestResult } from '../idempotency/idempotency.service';
import type { LiveReply } from '../reply/live-reply';
import type { StartedReply } from '../reply/running-reply';
import { ReplyRunner } from '../running/reply-runner';
import type { BegunReply } from './replies';
import { RunningLimit } from './running-limit';

/** Starts replies, each once for its `Idempotency-Key`. `Replies` stores how they begin. */
@Injectable()
export class ReplyStarter {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly idempotency: IdempotencyService,
    private readonly limit: RunningLimit,
    private readonly runner: ReplyRunner,
    private readonly life: ReplyLife,
  ) {}

  /**
   * Begins a reply, and has it written. A request whose key was already served gets the same reply again, unless a crash has
   * cut it: then another one begins.
   *
   * @param begin stores the beginning by `Replies`; `cut` is what the earlier request stored whose reply was cut; null: nothing
   * @param find the reply of the earlier request
   * @throws IdempotencyConflictError, ServiceUnavailableError while the process shuts down, and what the two throw
   */
  async start(
    repeatable: RepeatableRequest,
    begin: (cut: RequestResult | null) => Promise<BegunReply>,
    find: (stored: RequestResult) => Promise<LiveReply>,
  ): Promise<StartedReply> {
    this.lifecycle.assertAcceptsWork();
    return this.idempotency.once<StartedReply>(
      repeatable,
      async (cut) => {
        const { reply, quota } = await begin(cut);
        this.runner.start(reply);
        return { reply, quota };
      },
      // If only the answer to the COMMIT was lost, the beginning is stored, and recovery ends its reply.
      async (stored) => {
        const reply = await this.life.await(await find(stored));
        return reply.end?.status === 'interrupted' ? null : { reply, quota: null };
      },
    );
  }

  /**
   * Refuses a request that its beginning would refuse, before costly work such as fetching files.
   *
   * @param repeatable absent: the caller knows that the request is new
   * @returns false when an earlier request with this key has stored the result, cut or not: then no room is needed
   * @throws QuotaExceededError, TooManyConcurrentError, IdempotencyConflictError, ServiceUnavailableError while the process shuts
   *   down
   */
  async requireRoom(sender: Spender, repeatable?: RepeatableRequest): Promise<boolean> {
    if (repeatable !== undefined && (await this.idempotency.find(repeatable)) !== null) {
      return false;
    }
    this.lifecycle.assertAcceptsWork();
    await this.limit.requireRoom(sender);
    return true;
  }
}
