import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { PublicRequestContext } from '../../../common/security/request-context';

/** Who acts, and from where. */
export type AuditActor = Pick<PublicRequestContext, 'principal' | 'requestId' | 'address' | 'userAgent'>;

/** A request that has to leave an entry in the log. */
export interface AuditedRequest {
  readonly actor: AuditActor;
  /** Whether an entry was committed with the request's changes. */
  isRecorded: boolean;
}

/** Lets whatever happens in the course of a request find out which administrator's request it is. */
@Injectable()
export class AuditScope {
  private readonly storage = new AsyncLocalStorage<AuditedRequest>();

  /** Undefined outside of audited requests: in the work of users, and of the service itself. */
  get current(): AuditedRequest | undefined {
    return this.storage.getStore();
  }

  run<Result>(request: AuditedRequest, work: () => Result): Result {
    return this.storage.run(request, work);
  }
}
