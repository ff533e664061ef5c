import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { PublicRequestContext } from '../../../common/security/request-context';

/** Who acts, and from where. */
export type AuditActor = Pick<PublicRequestContext, 'principal' | 'requestId' | 'address' | 'userAgent'>;

/** A request that must have an entry in the log. */
export interface AuditedRequest {
  readonly actor: AuditActor;
  /** Whether an entry was committed with the request's changes. */
  isRecorded: boolean;
}

/** Tells code that runs within a request which administrator sent the request. */
@Injectable()
export class AuditScope {
  private readonly storage = new AsyncLocalStorage<AuditedRequest>();

  /** Undefined outside audited requests: in requests of users, and in work of the service itself. */
  get current(): AuditedRequest | undefined {
    return this.storage.getStore();
  }

  run<Result>(request: AuditedRequest, work: () => Result): Result {
    return this.storage.run(request, work);
  }
}
