import { Injectable } from '@nestjs/common';
import { InvalidParameterError, ValidationFailedError } from '../../../common/errors/validation.errors';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { IdentityConfig } from '../identity.config';

/** Checks the pages that browsers may return to from another server. */
@Injectable()
export class ReturnPages {
  constructor(private readonly config: IdentityConfig) {}

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
    return address === CONSOLE_PAGE || (this.config.OIDC_RETURN_URLS ?? []).some((allowed) => allowed === address);
  }
}
