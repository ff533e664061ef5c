import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError } from '../../../common/errors/api-error';
import { ApiKeyIdentity } from '../../../common/security/api-key-identity';
import { assertScope, type Principal } from '../../../common/security/principal';
import type { Scope } from '../../../common/security/scopes';
import { TokenInvalidError } from '../../../common/security/security.errors';
import { PrincipalService } from '../../user/user.api';

/** Other instances learn of a change within four seconds, and it must have its effect within five. */
const STEP_MILLISECONDS = 500;

/** A running request. */
interface Watched {
  caller: Principal;
  /** The scope that an API key needs for it; null: any. */
  scope: Scope | null;
  isOver: () => boolean;
  /** Called once if the caller loses the right to the request, with the error that a new request would get. */
  onLost: (error: ApiError) => void;
}

/**
 * Ends running requests whose callers lose the right to send them: those of third-party APIs, and those of command-line
 * programs. Rights are read from the cache of identities.
 */
@Injectable()
export class CallerRights implements OnApplicationShutdown {
  private readonly watched = new Set<Watched>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly principals: PrincipalService,
    private readonly keys: ApiKeyIdentity,
  ) {}

  watch(watched: Watched): void {
    this.watched.add(watched);
    this.timer ??= setInterval(() => void this.checkAll(), STEP_MILLISECONDS).unref();
  }

  /** Watches a reader that is a command-line program until its response ends. Ignores other callers. */
  watchDevice({ principal }: Request, response: Response, onLost: Watched['onLost']): void {
    if (principal && principal.sessionId !== null && principal.scopes !== null) {
      this.watch({ caller: principal, scope: null, isOver: () => response.closed, onLost });
    }
  }

  /** Waits for work of a reader. @throws ApiError if the session of a command-line program ends before that */
  async during<Result>(request: Request, response: Response, work: Promise<Result>): Promise<Result> {
    return Promise.race([work, new Promise<never>((_resolve, reject) => this.watchDevice(request, response, reject))]);
  }

  /** The error that a new request of this caller would get. Null: none, or the database is unavailable. */
  async refusalOf({ apiKeyHash, sessionId, userId }: Principal, scope: Scope | null): Promise<ApiError | null> {
    try {
      if (apiKeyHash !== null) {
        const principal = await this.keys.principalOfHash(apiKeyHash);
        if (scope !== null) {
          assertScope(principal, scope);
        }
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
    await Promise.all([...this.watched].map((watched) => this.check(watched)));
    if (this.watched.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }

  private async check(watched: Watched): Promise<void> {
    const refusal = watched.isOver() ? null : await this.refusalOf(watched.caller, watched.scope);
    if (watched.isOver() || refusal !== null) {
      this.watched.delete(watched);
    }
    if (refusal !== null && !watched.isOver()) {
      watched.onLost(refusal);
    }
  }
}
