import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { ServiceUnavailableError } from './errors/common.errors';

/** What one service does when the process shuts down. */
interface ShutdownTask {
  finish: () => Promise<unknown>;
  waitsFor: () => string | null;
}

/**
 * Knows whether the process is shutting down. The process then accepts no new work and finishes its running work. The
 * root module starts this for all services at the same time. Nest would stop the modules one after another, and their
 * waiting times would add up.
 */
@Injectable()
export class Lifecycle {
  /** Identifies this process in the database and in lists, during its lifetime. */
  readonly instanceId: string = randomUUID();
  private readonly logger = new Logger(Lifecycle.name);
  private readonly shutdownTasks: ShutdownTask[] = [];
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
   * Registers a function that finishes the work of a service when the process drains. All such functions run in
   * parallel, and nothing that they need is closed before the last one has ended. Call it in a constructor.
   *
   * @param waitsFor describes what it currently waits for, such as `2 running replies (25 s at most)`; null if it is
   * quick
   */
  onDrain(finish: () => Promise<unknown>, waitsFor: () => string | null = () => null): void {
    this.shutdownTasks.push({ finish, waitsFor });
  }

  /** Stops accepting new work. Resolves when all registered functions have ended. */
  async drain(): Promise<void> {
    this.draining = true;
    const awaited = this.shutdownTasks.map(({ waitsFor }) => waitsFor()).filter((text) => text !== null);
    this.logger.log(
      awaited.length === 0
        ? 'The service stops.'
        : `The service stops, and waits for ${awaited.join(', ')}. Ctrl+C or a second signal ends it at once.`,
    );
    const results = await Promise.allSettled(this.shutdownTasks.map(({ finish }) => finish()));
    for (const result of results) {
      if (result.status === 'rejected') {
        this.logger.error(result.reason);
      }
    }
  }
}
