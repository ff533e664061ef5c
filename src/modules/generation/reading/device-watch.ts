import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BackgroundLoop } from '../../../common/background/background-loop';
import { SessionRevokedError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { SessionQuery } from '../../user/user.api';

const STEP_MILLISECONDS = 2_000;

interface Watched {
  sessionId: number;
  onEnd: (error: SessionRevokedError) => void;
}

/**
 * Ends requests of command-line programs whose session ends while they wait for a reply. It reads the database, because
 * another instance may end the session.
 */
@Injectable()
export class DeviceWatch implements OnApplicationShutdown {
  private readonly logger = new Logger(DeviceWatch.name);
  private readonly watched = new Set<Watched>();
  private readonly loop = new BackgroundLoop({
    step: () => this.step(),
    onError: (error) => this.logger.warn({ error }, 'The sessions of running requests could not be looked up.'),
    idleMilliseconds: STEP_MILLISECONDS,
  });

  constructor(
    database: Database,
    private readonly sessions: SessionQuery,
  ) {
    database.onReady(() => Promise.resolve(this.loop.start()));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Calls back once if the session of this request ends before its response. Ignores other callers. */
  watch({ principal }: Request, response: Response, onEnd: Watched['onEnd']): void {
    const sessionId = principal?.sessionId ?? null;
    if (sessionId === null || principal?.scopes === null || response.destroyed) {
      return;
    }
    const watched = { sessionId, onEnd };
    this.watched.add(watched);
    response.on('close', () => this.watched.delete(watched));
  }

  /** Waits for work of a request. @throws SessionRevokedError if its session ends before that */
  async during<Result>(request: Request, response: Response, work: Promise<Result>): Promise<Result> {
    return Promise.race([work, new Promise<never>((_resolve, reject) => this.watch(request, response, reject))]);
  }

  private async step(): Promise<null> {
    if (this.watched.size > 0) {
      const living = await this.sessions.living([...this.watched].map(({ sessionId }) => sessionId));
      for (const watched of this.watched) {
        if (!living.has(watched.sessionId)) {
          this.watched.delete(watched);
          watched.onEnd(new SessionRevokedError());
        }
      }
    }
    return null;
  }
}
