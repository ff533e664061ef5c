import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { ServiceUnavailableError } from './errors/common.errors';

/** Whether the process is on its way out: from then on it takes no new work and finishes what it has. */
@Injectable()
export class Lifecycle implements OnModuleDestroy {
  private draining = false;

  get isDraining(): boolean {
    return this.draining;
  }

  /** @throws ServiceUnavailableError once the process is shutting down. */
  assertAcceptsWork(): void {
    if (this.draining) {
      throw new ServiceUnavailableError();
    }
  }

  onModuleDestroy(): void {
    this.draining = true;
  }
}
