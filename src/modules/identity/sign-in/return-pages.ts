import { Injectable } from '@nestjs/common';
import { InvalidParameterError, ValidationFailedError } from '../../../common/errors/validation.errors';
import { API_PREFIX } from '../../../common/http/api-prefix';
import { BrowserPages } from '../../../common/redirects/browser-pages';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { AppConfig } from '../../../config/app.config';
import { IdentityConfig } from '../identity.config';

const START = new RegExp(`^/${API_PREFIX}/auth/oidc/[^/]+/start/?$`, 'i');
const CALLBACK = new RegExp(`^/${API_PREFIX}/auth/oidc/[^/]+/callback/?$`, 'i');

/** The console, and its page on which users approve command-line programs. */
const OWN_PAGES = new Set<unknown>([CONSOLE_PAGE, `${CONSOLE_PAGE}/device`]);

/** Checks the pages that browsers may return to from another server. */
@Injectable()
export class ReturnPages {
  constructor(
    private readonly config: IdentityConfig,
    private readonly app: AppConfig,
    pages: BrowserPages,
  ) {
    pages.add(START, (query) => this.ofFailure(query.get('return_to')));
    pages.add(CALLBACK);
  }

  /** The page that a failed start redirects to: the requested one if it is allowed, or else the console. */
  ofFailure(requested: unknown): string | null {
    // The service may run without a console.
    const isNamed = this.isAllowed(requested) && (this.app.CONSOLE_ENABLED || !OWN_PAGES.has(requested));
    return isNamed ? requested : this.app.CONSOLE_ENABLED ? CONSOLE_PAGE : null;
  }

  /** For a query parameter. @throws InvalidParameterError */
  assertParameter(address: string): void {
    if (!this.isAllowed(address)) {
      throw new InvalidParameterError([{ field: 'return_to', reason: 'not_allowed' }]);
    }
  }

  /** For a body field. @throws ValidationFailedError */
  assertField(address: string): void {
    if (!this.isAllowed(address)) {
      throw ValidationFailedError.of('return_to', 'not_allowed');
    }
  }

  /** Compared exactly: an address with the same prefix could lead to another site. */
  isAllowed(address: unknown): address is string {
    return OWN_PAGES.has(address) || (this.config.OIDC_RETURN_URLS ?? []).some((allowed) => allowed === address);
  }
}
