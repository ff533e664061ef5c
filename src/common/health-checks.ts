import { Injectable } from '@nestjs/common';
import { SECOND_MILLISECONDS, withTimeout } from './time';

/** The state of a part of the service in `/health`. */
export interface PartHealth {
  status: 'up' | 'down' | 'absent';
  detail?: string;
  checked_at?: string;
  /** One of the reasons in the document of `/health`. */
  reason?: string;
}

type Check = () => Promise<PartHealth>;

const CHECK_MILLISECONDS = SECOND_MILLISECONDS;

/** Collects the state of parts without which the service still works. Modules add their part when the service starts. */
@Injectable()
export class HealthChecks {
  private readonly parts = new Map<string, Check>();

  /** @param name in the report @param check answers quickly, mostly from memory */
  add(name: string, check: Check): void {
    this.parts.set(name, check);
  }

  /** A part that cannot be checked is down. */
  async read(): Promise<Record<string, PartHealth>> {
    const down = { status: 'down' as const };
    const checked = [...this.parts].map(async ([name, check]) => {
      const health = withTimeout(check(), CHECK_MILLISECONDS, () => down);
      return [name, await health.catch(() => down)] as const;
    });
    return Object.fromEntries(await Promise.all(checked));
  }
}
