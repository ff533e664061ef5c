import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';
import type { PublicRequestContext } from '../../../common/security/request-context';

/** A request that must be logged. */
export interface AuditedRequest {
  /** The actor and the origin of the request. */
  readonly context: PublicRequestContext;
  /** Whether an entry was committed with the request's changes. */
  isRecorded: boolean;
}

/** Provides the audited request to code that runs within it. */
@Injectable()
export class AuditScope {
  private readonly storage = new AsyncLocalStorage<AuditedRequest>();
  /** Number of running audited requests. */
  private running = 0;

  /** Undefined outside audited requests: in users' requests and in background work. */
  get current(): AuditedRequest | undefined {
    return this.storage.getStore();
  }

  run<Answer>(request: AuditedRequest, work: () => Observable<Answer>): Observable<Answer> {
    this.running++;
    return this.storage.run(request, work).pipe(finalize(() => this.leave()));
  }

  /** Runs work of the request after its handler, which is outside the call above. */
  resume<Result>(request: AuditedRequest, work: () => Promise<Result>): Promise<Result> {
    return this.storage.run(request, work);
  }

  /** On Node 20, an enabled storage slows down every promise of the process. `run` enables it again. */
  private leave(): void {
    this.running--;
    if (this.running === 0) {
      this.storage.disable();
    }
  }
}
