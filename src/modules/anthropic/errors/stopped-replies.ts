import { Injectable } from '@nestjs/common';
import type { ApiError } from '../../../common/errors/api-error';
import { ServiceOverloadedError } from '../../../common/errors/common.errors';
import type { Principal } from '../../../common/security/principal';
import { CallerRights } from '../../generation/generation.api';
import { ANTHROPIC_SCOPE } from '../anthropic-prefix';

/** Finds why a reply ended that its client did not stop. */
@Injectable()
export class StoppedReplies {
  constructor(private readonly rights: CallerRights) {}

  /** The error that a new request of this caller would get; for a shutdown, that the service has too much to do. */
  async reasonOf(caller: Principal): Promise<ApiError> {
    return (await this.rights.refusalOf(caller, ANTHROPIC_SCOPE)) ?? new ServiceOverloadedError();
  }
}
