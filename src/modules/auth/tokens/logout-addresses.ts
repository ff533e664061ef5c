import { Injectable } from '@nestjs/common';
import type { Request } from 'express';

/** Finds where a browser goes after a logout. The identity module implements it. */
export interface LogoutFinder {
  /** Null if there is no such page. */
  logoutUrl(userId: number, sessionId: number, request: Request): Promise<string | null>;
}

/** Delegates to the identity module, which depends on this module, to find the page that ends a provider's session. */
@Injectable()
export class LogoutAddresses {
  private finder: LogoutFinder | undefined;

  use(finder: LogoutFinder): void {
    this.finder = finder;
  }

  /** Call it before the session ends. Null if the logout is complete. */
  async of(userId: number, sessionId: number | null, request: Request): Promise<string | null> {
    return sessionId === null || !this.finder ? null : this.finder.logoutUrl(userId, sessionId, request);
  }
}
