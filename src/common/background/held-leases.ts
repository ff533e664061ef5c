import { Injectable } from '@nestjs/common';

/**
 * The leases that this instance holds: work that only one instance may do. Operators see their names. Modules add a
 * lease when the service starts.
 */
@Injectable()
export class HeldLeases {
  private readonly leases = new Map<string, () => boolean>();

  /** @param isHeld answers from memory */
  add(name: string, isHeld: () => boolean): void {
    this.leases.set(name, isHeld);
  }

  names(): string[] {
    return [...this.leases].filter(([, isHeld]) => isHeld()).map(([name]) => name);
  }
}
