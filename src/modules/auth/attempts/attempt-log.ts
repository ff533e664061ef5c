import { Injectable } from '@nestjs/common';
import { EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { AddressHasher } from '../clients/address-hasher';
import { AttemptLogEntity } from './attempt-log.entity';

/** At most `count` attempts within any period of `seconds`. */
export interface AttemptLimit {
  count: number;
  seconds: number;
}

/** The counted action and its limits. */
export interface AttemptRule {
  kind: string;
  limits: AttemptLimit[];
}

/**
 * Counts attempts exactly, even if many arrive concurrently on several instances, because each subject's row is locked
 * while it is counted. `PasswordGate` counts wrong passwords, and `codes` counts wrong codes and sent mails.
 */
@Injectable()
export class AttemptLog {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly hasher: AddressHasher,
  ) {}

  /**
   * Within `Database.write`: records an attempt if no limit is reached. Returns 0 if it was recorded, otherwise the
   * seconds until the next attempt is allowed.
   *
   * @param whom an email address, a client, or both
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

  /** Within `Database.write`: removes the last attempt, because it had no result. */
  async removeLast(manager: EntityManager, { kind, limits }: AttemptRule, whom: string): Promise<void> {
    const times = await this.lock(manager, kind, whom, longestOf(limits));
    await this.save(manager, kind, whom, times.slice(0, -1));
  }

  /** Within `Database.write`: deletes all attempts. */
  async clear(manager: EntityManager, kind: string, whom: string): Promise<void> {
    await deleteRows(manager, AttemptLogEntity, { subject: In(this.subjects(kind, whom)) });
  }

  /** Unix milliseconds of the attempts. Does not wait for locks. */
  async read(kind: string, whom: string): Promise<number[]> {
    const subject = In(this.subjects(kind, whom));
    return timesOf(await findRows(this.database.manager, AttemptLogEntity, { subject }));
  }

  /**
   * Within `Database.write`: adds to a series of attempts. If the series already has `most` attempts, a new one starts.
   */
  async addToRun(manager: EntityManager, kind: string, whom: string, most: number, keepSeconds: number): Promise<void> {
    const times = await this.lock(manager, kind, whom, keepSeconds);
    const run = times.length >= most ? [] : times;
    await this.save(manager, kind, whom, [...run, this.clock.now().getTime()]);
  }

  /** Locks the row until the transaction ends. Updates first, because each insert would use up an id on MySQL. */
  private async lock(manager: EntityManager, kind: string, whom: string, keepSeconds: number): Promise<number[]> {
    const [subject = '', ...previous] = this.subjects(kind, whom);
    const expiresAt = new Date(this.clock.now().getTime() + keepSeconds * 1_000);
    const affected = await updateRows(manager, AttemptLogEntity, { expiresAt }, { subject });
    if (affected === 0) {
      await upsertRows(manager, AttemptLogEntity, [{ subject, times: [], expiresAt }], ['subject'], ['expiresAt']);
    }
    const { times } = (await findRow(manager, AttemptLogEntity, { subject })) as AttemptLogEntity;
    return previous.length === 0 ? times : this.takeOver(manager, subject, times, previous);
  }

  /** Adds attempts that were counted under the previous service secret to the locked row. */
  private async takeOver(
    manager: EntityManager,
    subject: string,
    times: number[],
    previous: string[],
  ): Promise<number[]> {
    const former = await findRows(manager, AttemptLogEntity, { subject: In(previous) });
    if (former.length === 0) {
      return times;
    }
    const all = timesOf([{ times }, ...former]);
    await deleteRows(manager, AttemptLogEntity, { subject: In(previous) });
    await updateRows(manager, AttemptLogEntity, { times: all }, { subject });
    return all;
  }

  private async save(manager: EntityManager, kind: string, whom: string, times: number[]): Promise<void> {
    await updateRows(manager, AttemptLogEntity, { times }, { subject: this.subjects(kind, whom)[0] });
  }

  /** The subject under the current service secret, followed by the one under the previous secret. */
  private subjects(kind: string, whom: string): string[] {
    return this.hasher.hashes('attempts', kind, whom).map((hash) => `${kind}:${hash}`);
  }
}

/** The times of all logs, in ascending order. */
function timesOf(logs: Pick<AttemptLogEntity, 'times'>[]): number[] {
  return logs.flatMap(({ times }) => times).sort((left, right) => left - right);
}

function longestOf(limits: AttemptLimit[]): number {
  return Math.max(...limits.map(({ seconds }) => seconds));
}

/** Milliseconds until another attempt is within the limit. `times` must be ascending. */
function waitFor(times: number[], { count, seconds }: AttemptLimit, now: number): number {
  const inTheWay = times[times.length - count];
  return inTheWay === undefined ? 0 : Math.max(0, inTheWay + seconds * 1_000 - now);
}
