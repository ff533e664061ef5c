import { Injectable, Logger } from '@nestjs/common';
import { ServiceUnavailableError } from './errors/common.errors';

interface Farewell {
  finish: () => Promise<unknown>;
  waitsFor: () => string | null;
}

/**
 * Whether the process is on its way out: from then on it takes no new work and finishes what it has. The composition
 * root begins it, because Nest ends the modules one after another, the root first: what each of them waited for would
 * add up.
 */
@Injectable()
export class Lifecycle {
  private readonly logger = new Logger(Lifecycle.name);
  private readonly farewells: Farewell[] = [];
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
   *
   * @param waitsFor what it waits for at that moment, such as `2 running replies (25 s at most)`; null for nothing that
   *   takes long
   */
  onDrain(finish: () => Promise<unknown>, waitsFor: () => string | null = () => null): void {
    this.farewells.push({ finish, waitsFor });
  }

  /** Takes no new work from now on; resolves when all farewells have ended. */
  async drain(): Promise<void> {
    this.draining = true;
    const awaited = this.farewells.map(({ waitsFor }) => waitsFor()).filter((text) => text !== null);
    this.logger.log(
      awaited.length === 0
        ? 'The service stops.'
        : `The service stops, and waits for ${awaited.join(', ')}. Ctrl+C or a second signal ends it at once.`,
    );
    const results = await Promise.allSettled(this.farewells.map(({ finish }) => finish()));
    for (const result of results) {
      if (result.status === 'rejected') {
        this.logger.error(result.reason);
      }
    }
  }
}
