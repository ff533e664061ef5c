import { Injectable } from '@nestjs/common';
import { ServiceOverloadedError } from '../../../common/errors/common.errors';
import { ApiKeyIdentity } from '../../../common/security/api-key-identity';
import type { Principal } from '../../../common/security/principal';
import { TokenInvalidError } from '../../../common/security/security.errors';
import type { LiveReply } from '../../generation/generation.api';
import { PrincipalService } from '../../user/user.api';

/** Finds why a reply ended that its client did not stop. */
@Injectable()
export class StoppedReplies {
  constructor(
    private readonly keys: ApiKeyIdentity,
    private readonly principals: PrincipalService,
  ) {}

  /** The error that a new request of this caller would get; for a shutdown, that the service has too much to do. */
  async reasonOf({ end }: LiveReply, caller: Principal): Promise<unknown> {
    if (end?.status !== 'stopped') {
      return new ServiceOverloadedError();
    }
    try {
      await this.identify(caller);
      return new ServiceOverloadedError();
    } catch (error) {
      return error;
    }
  }

  private async identify({ apiKeyHash, sessionId, userId }: Principal): Promise<void> {
    if (apiKeyHash !== null) {
      await this.keys.principalOfHash(apiKeyHash);
    } else if (sessionId !== null) {
      await this.principals.resolve(userId, sessionId);
    } else if ((await this.principals.ofUser(userId)) === null) {
      throw new TokenInvalidError();
    }
  }
}
