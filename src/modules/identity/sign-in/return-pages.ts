import { Injectable } from '@nestjs/common';
import { InvalidParameterError, ValidationFailedError } from '../../../common/errors/validation.errors';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { IdentityConfig } from '../identity.config';

/** The pages that browsers may come back to from another server. */
@Injectable()
export class ReturnPages {
  constructor(private readonly config: IdentityConfig) {}

  /** In a query. @throws InvalidParameterError */
  assertParameter(address: string): void {
    if (!this.isAllowed(address)) {
      throw new InvalidParameterError([{ field: 'return_to', reason: 'not_allowed' }]);
    }
  }

  /** In a body. @throws ValidationFailedError */
  assertField(address: string): void {
    if (!this.isAllowed(address)) {
      throw ValidationFailedError.of('return_to', 'not_allowed');
    }
  }

  /** Compared as text: an address that only begins like one may lead away. */
  isAllowed(address: unknown): address is string {
    return address === CONSOLE_PAGE || (this.config.OIDC_RETURN_URLS ?? []).some((allowed) => allowed === address);
  }
}
