import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { ApiError } from '../../../common/errors/api-error';
import { ApiKeyIdentity } from '../../../common/security/api-key-identity';
import { assertScope, type Principal } from '../../../common/security/principal';
import type { Scope } from '../../../common/security/scopes';
import { TokenInvalidError } from '../../../common/security/security.errors';
import { PrincipalService } from '../../user/user.api';
import type { RunningReply } from '../reply/running-reply';

/** Other instances learn of a change within four seconds, and it must have its effect within five. */
const STEP_MILLISECONDS = 500;

interface Watched {
  caller: Principal;
  scope: Scope;
}

/** Ends running requests of third-party APIs whose callers lose the right to send them. */
@Injectable()
export class CallerRights implements OnApplicationShutdown {
  private readonly watched = new Map<RunningReply, Watched>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly principals: PrincipalService,
    private readonly keys: ApiKeyIdentity,
  ) {}

  /** Watches until the reply ends. @param scope that an API key needs */
  watch(reply: RunningReply, caller: Principal, scope: Scope): void {
    this.watched.set(reply, { caller, scope });
    this.timer ??= setInterval(() => void this.checkAll(), STEP_MILLISECONDS).unref();
  }

  /** The error that a new request of this caller would get. Null: none, or the database is unavailable. */
  async refusalOf({ apiKeyHash, sessionId, userId }: Principal, scope: Scope): Promise<ApiError | null> {
    try {
      if (apiKeyHash !== null) {
        assertScope(await this.keys.principalOfHash(apiKeyHash), scope);
      } else if (sessionId !== null) {
        await this.principals.resolve(userId, sessionId);
      } else if ((await this.principals.ofUser(userId)) === null) {
        throw new TokenInvalidError();
      }
      return null;
    } catch (error) {
      return error instanceof ApiError && error.status < 500 ? error : null;
    }
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async checkAll(): Promise<void> {
    await Promise.all([...this.watched].map(([reply, watched]) => this.check(reply, watched)));
    if (this.watched.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }

  private async check(reply: RunningReply, { caller, scope }: Watched): Promise<void> {
    if (reply.end !== null) {
      this.watched.delete(reply);
    } else if ((await this.refusalOf(caller, scope)) !== null) {
      this.watched.delete(reply);
      reply.abort('stopped');
    }
  }
}
