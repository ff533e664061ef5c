import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ApiError } from '../../../common/errors/api-error';
import { ServiceOverloadedError } from '../../../common/errors/common.errors';
import { Lifecycle } from '../../../common/lifecycle';
import type { Principal } from '../../../common/security/principal';
import { CallerRights, type LiveReply } from '../../generation/generation.api';
import { ANTHROPIC_SCOPE } from '../anthropic-prefix';

/** How long this instance may know less about a caller than the one that stopped the reply. */
const MOST_MILLISECONDS = 4_500;

const PAUSE_MILLISECONDS = 250;

/** Finds why a reply ended that its client did not stop. */
@Injectable()
export class StoppedReplies {
  constructor(
    private readonly rights: CallerRights,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** The error that a new request of this caller would get; for a shutdown, that the service has too much to do. */
  async reasonOf({ end }: LiveReply, caller: Principal): Promise<ApiError> {
    const last = performance.now() + MOST_MILLISECONDS;
    while (end?.status === 'stopped') {
      const refusal = await this.rights.refusalOf(caller, ANTHROPIC_SCOPE);
      if (refusal !== null) {
        return refusal;
      }
      if (this.lifecycle.isDraining || performance.now() > last) {
        break;
      }
      await delay(PAUSE_MILLISECONDS);
    }
    return new ServiceOverloadedError();
  }
}
