import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';
import type { PublicRequestContext } from '../../../common/security/request-context';

/** A request that must have an entry in the log. */
export interface AuditedRequest {
  /** Who acts, and from where. */
  readonly context: PublicRequestContext;
  /** Whether an entry was committed with the request's changes. */
  isRecorded: boolean;
}

/** Tells code that runs within a request which administrator sent the request. */
@Injectable()
export class AuditScope {
  private readonly storage = new AsyncLocalStorage<AuditedRequest>();
  /** Audited requests that run. */
  private running = 0;

  /** Undefined outside audited requests: in requests of users, and in work of the service itself. */
  get current(): AuditedRequest | undefined {
    return this.storage.getStore();
  }

  run<Answer>(request: AuditedRequest, work: () => Observable<Answer>): Observable<Answer> {
    this.running++;
    return this.storage.run(request, work).pipe(finalize(() => this.leave()));
  }

  /** Work of the request after its handler, which no longer runs within the call above. */
  resume<Result>(request: AuditedRequest, work: () => Promise<Result>): Promise<Result> {
    return this.storage.run(request, work);
  }

  /** An enabled storage costs time for each promise of the process, on Node 20. `run` enables it again. */
  private leave(): void {
    this.running--;
    if (this.running === 0) {
      this.storage.disable();
    }
  }
}
