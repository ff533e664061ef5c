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

/** Starts replies, once per `Idempotency-Key`. `Replies` stores the start. */
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
   * Stores the start of a reply and starts the generation. A request whose key was already served returns the same
   * reply, unless a crash cut that reply off: then a new one starts.
   *
   * @param begin stores the start with `Replies`. `cut` is the result of the earlier request if its reply was cut off.
   *   Null: none
   * @param find the reply of the earlier request
   * @throws IdempotencyConflictError, ServiceUnavailableError while the process shuts down, and the errors of `begin`
   *   and `find`
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
      // If only the answer to the COMMIT was lost, the start is stored, and recovery ends its reply.
      async (stored) => {
        const reply = await this.life.await(await find(stored));
        return reply.end?.status === 'interrupted' ? null : { reply, quota: null };
      },
    );
  }

  /**
   * Refuses a request early that its start would refuse, before costly work such as fetching files.
   *
   * @param repeatable absent: the caller knows that the request is new
   * @returns false when an earlier request with this key has a stored result: then no room is needed
   * @throws QuotaExceededError, TooManyConcurrentError, IdempotencyConflictError, ServiceUnavailableError while the
   *   process shuts down
   */
  async requireQuota(sender: Spender, repeatable?: RepeatableRequest): Promise<boolean> {
    if (repeatable !== undefined && (await this.idempotency.find(repeatable)) !== null) {
      return false;
    }
    this.lifecycle.assertAcceptsWork();
    await this.limit.requireQuota(sender);
    return true;
  }
}
