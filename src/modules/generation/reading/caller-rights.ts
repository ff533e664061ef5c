import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BackgroundLoop } from '../../../common/background/background-loop';
import { ApiError } from '../../../common/errors/api-error';
import { ApiKeyIdentity } from '../../../common/security/api-key-identity';
import { assertScope, type Principal } from '../../../common/security/principal';
import type { Scope } from '../../../common/security/scopes';
import { TokenInvalidError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { ApiKeyQuery } from '../../api-key/api-key.api';
import { PrincipalService, SessionQuery, UserDirectoryQuery } from '../../user/user.api';

/** A lost right must have its effect within five seconds, on every instance. */
const STEP_MILLISECONDS = 1_000;

/** How many requests are checked with one statement for each kind of right. */
const BATCH = 1_000;

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
 * programs. Any number of callers is checked with a few statements, because thousands of requests may run at once. Only
 * the caller that seems to have lost a right is identified again.
 */
@Injectable()
export class CallerRights implements OnApplicationShutdown {
  private readonly logger = new Logger(CallerRights.name);
  /** The requests, and when they began (`performance.now()`). */
  private readonly watched = new Map<Watched, number>();
  private readonly loop = new BackgroundLoop({
    step: () => this.checkAll(),
    onError: (error) => this.logger.warn({ error }, 'The rights of running requests could not be read.'),
    idleMilliseconds: STEP_MILLISECONDS,
  });

  constructor(
    database: Database,
    private readonly principals: PrincipalService,
    private readonly keys: ApiKeyIdentity,
    private readonly users: UserDirectoryQuery,
    private readonly sessions: SessionQuery,
    private readonly apiKeys: ApiKeyQuery,
  ) {
    database.onReady(() => Promise.resolve(this.loop.start()));
  }

  watch(watched: Watched): void {
    this.watched.set(watched, performance.now());
  }

  /**
   * Watches a reader until its response ends.
   *
   * @param scope that an API key needs for a third-party API. Null: only command-line programs are watched
   */
  watchReader({ principal }: Request, response: Response, onLost: Watched['onLost'], scope: Scope | null = null): void {
    const isDevice = principal && principal.sessionId !== null && principal.scopes !== null;
    if (principal && (isDevice || scope !== null)) {
      this.watch({ caller: principal, scope, isOver: () => response.closed, onLost });
    }
  }

  /** Waits for work of a reader. @throws ApiError if the session of a command-line program ends before that */
  async during<Result>(request: Request, response: Response, work: Promise<Result>): Promise<Result> {
    return Promise.race([work, new Promise<never>((_resolve, reject) => this.watchReader(request, response, reject))]);
  }

  /** The error that a new request of this caller would get. Null: none, or the database is unavailable. */
  async refusalOf({ apiKeyHash, sessionId, userId }: Principal, scope: Scope | null): Promise<ApiError | null> {
    // Another instance may have changed the rights a moment ago.
    this.principals.reread(userId);
    try {
      if (apiKeyHash !== null) {
        this.keys.reread(apiKeyHash);
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

  /** Replies continue while the process drains, so their callers can still lose their rights. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  private async checkAll(): Promise<null> {
    // Newer ones were checked when they began, and most of them end before the next step.
    const latest = performance.now() - STEP_MILLISECONDS;
    const old = [...this.watched].filter(([, begun]) => begun <= latest).map(([watched]) => watched);
    const running = old.filter((watched) => !watched.isOver() || !this.watched.delete(watched));
    for (let start = 0; start < running.length; start += BATCH) {
      const suspects = await this.suspectsAmong(running.slice(start, start + BATCH));
      await Promise.all(suspects.map((watched) => this.check(watched)));
    }
    return null;
  }

  /** The requests whose callers, sessions or keys have changed so that they may have lost the right. */
  private async suspectsAmong(batch: readonly Watched[]): Promise<Watched[]> {
    const callers = batch.map(({ caller }) => caller);
    const [withoutAccess, sessions, keys] = await Promise.all([
      this.users.withoutAccess(callers.map(({ userId }) => userId)),
      this.sessions.activeAmong(callers.flatMap(({ sessionId }) => sessionId ?? [])),
      this.apiKeys.activeAmong(callers.flatMap(({ apiKeyId }) => apiKeyId ?? [])),
    ]);
    return batch.filter(({ caller: { userId, sessionId, apiKeyHash }, scope }) => {
      const isSignedOut = sessionId !== null && !sessions.has(sessionId);
      const scopes = apiKeyHash === null ? null : (keys.get(apiKeyHash) ?? []);
      return (
        withoutAccess.has(userId) || isSignedOut || (scopes !== null && !scopes.includes(scope ?? scopes[0] ?? ''))
      );
    });
  }

  private async check(watched: Watched): Promise<void> {
    const refusal = await this.refusalOf(watched.caller, watched.scope);
    if (refusal !== null && !watched.isOver() && this.watched.delete(watched)) {
      watched.onLost(refusal);
    }
  }
}
