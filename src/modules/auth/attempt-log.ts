import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../common/clock';
import { Database } from '../../database/database';
import { AddressHasher } from './address-hasher';
import { AttemptLogEntity } from './entities/attempt-log.entity';

/** At most `count` attempts in any `seconds` in a row. */
export interface AttemptLimit {
  count: number;
  seconds: number;
}

/** What is counted, and how much of it is too much. */
export interface AttemptRule {
  kind: string;
  limits: AttemptLimit[];
}

/** Counts attempts exactly, whatever comes at once and on however many instances. */
@Injectable()
export class AttemptLog {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly hasher: AddressHasher,
  ) {}

  /**
   * Within `Database.write`: records an attempt unless that breaks a limit. Answers the seconds until there is room
   * again; 0 when the attempt was recorded.
   *
   * @param whom an e-mail or client address
   */
  async take(manager: EntityManager, { kind, limits }: AttemptRule, whom: string): Promise<number> {
    const now = this.clock.now().getTime();
    const longest = longestOf(limits);
    const times = (await this.lock(manager, kind, whom, longest)).filter((time) => time > now - longest * 1_000);
    const wait = Math.max(...limits.map((limit) => waitFor(times, limit, now)));
    if (wait === 0) {
      await this.save(manager, kind, whom, [...times, now]);
    }
    return wait / 1_000;
  }

  /** Within `Database.write`: takes the last attempt back, since it came to no decision. */
  async giveBack(manager: EntityManager, { kind, limits }: AttemptRule, whom: string): Promise<void> {
    const times = await this.lock(manager, kind, whom, longestOf(limits));
    await this.save(manager, kind, whom, times.slice(0, -1));
  }

  /** Within `Database.write`: forgets all attempts. */
  async clear(manager: EntityManager, kind: string, whom: string): Promise<void> {
    await manager.delete(AttemptLogEntity, { subject: this.subject(kind, whom) });
  }

  /** Unix milliseconds of the attempts, without waiting for others. */
  async read(kind: string, whom: string): Promise<number[]> {
    const log = await this.database.repository(AttemptLogEntity).findOneBy({ subject: this.subject(kind, whom) });
    return log?.times ?? [];
  }

  /** Within `Database.write`: adds to a run of attempts; a run that has reached `most` is over, and a new one begins. */
  async addToRun(manager: EntityManager, kind: string, whom: string, most: number, keepSeconds: number): Promise<void> {
    const times = await this.lock(manager, kind, whom, keepSeconds);
    const run = times.length >= most ? [] : times;
    await this.save(manager, kind, whom, [...run, this.clock.now().getTime()]);
  }

  /** Locks the row until the transaction ends. An update first: an insert would use up an id each time on MySQL. */
  private async lock(manager: EntityManager, kind: string, whom: string, keepSeconds: number): Promise<number[]> {
    const subject = this.subject(kind, whom);
    const expiresAt = new Date(this.clock.now().getTime() + keepSeconds * 1_000);
    const { affected } = await manager.update(AttemptLogEntity, { subject }, { expiresAt });
    if (affected === 0) {
      await manager
        .createQueryBuilder()
        .insert()
        .into(AttemptLogEntity)
        .values({ subject, times: [], expiresAt })
        .orUpdate(['expires_at'], ['subject'])
        .updateEntity(false)
        .execute();
    }
    const log = await manager.findOneByOrFail(AttemptLogEntity, { subject });
    return log.times;
  }

  private async save(manager: EntityManager, kind: string, whom: string, times: number[]): Promise<void> {
    await manager.update(AttemptLogEntity, { subject: this.subject(kind, whom) }, { times });
  }

  private subject(kind: string, whom: string): string {
    return `${kind}:${this.hasher.hash('attempts', kind, whom)}`;
  }
}

function longestOf(limits: AttemptLimit[]): number {
  return Math.max(...limits.map(({ seconds }) => seconds));
}

/** Milliseconds until another attempt keeps the limit. `times` ascend. */
function waitFor(times: number[], { count, seconds }: AttemptLimit, now: number): number {
  const inTheWay = times[times.length - count];
  return inTheWay === undefined ? 0 : Math.max(0, inTheWay + seconds * 1_000 - now);
}
