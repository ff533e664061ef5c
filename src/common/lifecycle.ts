import { Injectable, Logger } from '@nestjs/common';
import { ServiceUnavailableError } from './errors/common.errors';

/**
 * Whether the process is on its way out: from then on it takes no new work and finishes what it has. The composition
 * root begins it, because Nest ends the modules one after another, the root first: what each of them waited for would
 * add up.
 */
@Injectable()
export class Lifecycle {
  private readonly logger = new Logger(Lifecycle.name);
  private readonly farewells: (() => Promise<unknown>)[] = [];
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

  /**
   * Has `farewell` finish what a service has begun when the process drains. All run side by side, and nothing that they
   * need is closed before the last of them has ended. Call it in a constructor.
   */
  onDrain(farewell: () => Promise<unknown>): void {
    this.farewells.push(farewell);
  }

  /** Takes no new work from now on; resolves when all farewells have ended. */
  async drain(): Promise<void> {
    this.draining = true;
    const results = await Promise.allSettled(this.farewells.map((farewell) => farewell()));
    for (const result of results) {
      if (result.status === 'rejected') {
        this.logger.error(result.reason);
      }
    }
  }
}
