import { Injectable } from '@nestjs/common';
import type { Request } from 'express';

/** Where a browser goes after a logout. The module that knows providers of identities says how to find it. */
export interface LogoutFinder {
  /** Null: nowhere. */
  logoutUrl(userId: number, sessionId: number, request: Request): Promise<string | null>;
}

/** Asks the module above this one where a session of a provider ends. */
@Injectable()
export class LogoutAddresses {
  private finder: LogoutFinder | undefined;

  use(finder: LogoutFinder): void {
    this.finder = finder;
  }

  /** Call it while the session lives. Null: the logout is complete. */
  async of(userId: number, sessionId: number | null, request: Request): Promise<string | null> {
    return sessionId === null || !this.finder ? null : this.finder.logoutUrl(userId, sessionId, request);
  }
}
