import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { ObjectLiteral } from 'typeorm';
import { HeldLeases } from '../../../common/background/held-leases';
import { growingCache } from '../../../common/cache/growing-cache';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { Lifecycle } from '../../../common/lifecycle';
import { counter } from '../../../common/metrics/metrics';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../common/time';
import { Tracing } from '../../../common/tracing/tracing';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRows } from '../../../database/statements/find';
import { allOf } from '../../../database/statements/row-condition';
import { ErasurePauseConfig } from '../../user/user.api';
import { RetentionDirectory } from '../policies/retention-directory';
import { RETENTION_KINDS, type RetentionKind } from '../policies/retention-kinds';
import { RetentionPolicyStore } from '../policies/retention-policy.store';
import { type DueClass, dueClasses, type KindRules } from '../policies/retention-rules';
import { RetentionConfig } from '../retention.config';
import { RetentionPausedError, RetentionRunningError } from '../retention.errors';
import { DELETED_COUNTS } from './deleted-counts';
import { dueRows, heldOnly, RetainedData, type RetainedRows, rowsAfter } from './retained-data';
import type { RetentionSweepEntity } from './retention-sweep.entity';
import { SweepLostError, SweepRuns } from './sweep-runs';

/** Pause after each transaction, so that requests are not delayed. */
const PAUSE_MILLISECONDS = 50;

/**
 * After this time, rows that stay in their table are read again: their owners may have left a group, and another
 * instance may have ended a legal hold.
 */
const PLACE_MILLISECONDS = DAY_MILLISECONDS;

/** A policy changed while a sweep ran. What was due may have to be kept now. */
class PoliciesChangedError extends Error {}

const deletedTotal = counter('retention_deleted_total', 'Rows that retention sweeps deleted', ['kind']);

/** Deletes due data: hourly on one instance, and when an administrator requests it. */
@Injectable()
export class RetentionSweeper {
  private readonly logger = new Logger(RetentionSweeper.name);
  /** Where the last sweep ended in rows that stay in their table, by the rows and their owners. */
  private places = growingCache<string, ObjectLiteral>(1_000, { ttl: PLACE_MILLISECONDS });
  /** The sweep of this instance. */
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly config: RetentionConfig,
    private readonly pause: ErasurePauseConfig,
    private readonly directory: RetentionDirectory,
    private readonly policies: RetentionPolicyStore,
    private readonly data: RetainedData,
    private readonly runs: SweepRuns,
    private readonly lifecycle: Lifecycle,
    private readonly tracing: Tracing,
    background: BackgroundWork,
    leases: HeldLeases,
    events: DomainEvents,
  ) {
    background.add({
      step: () => this.sweepIfDue(),
      onError: (error) => this.logger.warn({ error }, 'A retention sweep could not begin.'),
      idleMilliseconds: MINUTE_MILLISECONDS,
    });
    leases.add('retention', () => this.running !== undefined);
    lifecycle.onDrain(() => this.running ?? Promise.resolve());
    // What only the hold kept may be older than the place.
    events.on('hold.released', () => Promise.resolve(database.onCommit(() => this.places.clear())));
  }

  /** The data that is due by these rules, with the floors of the operator. */
  classesOf(rules: KindRules): DueClass[] {
    const now = this.clock.now();
    const floor = this.floorOf(rules.kind);
    const latest = new Date(now.getTime() - floor * DAY_MILLISECONDS);
    // The operator may have raised the floor since the policy was created.
    return dueClasses(rules, now).map((one) => (floor > 0 && one.cutoff > latest ? { ...one, cutoff: latest } : one));
  }

  /**
   * Begins a sweep. Resolves before it ends.
   *
   * @throws RetentionPausedError, RetentionRunningError; ServiceUnavailableError while the process shuts down
   */
  async start(actorId: number): Promise<number> {
    if (this.pause.RETENTION_PAUSED) {
      throw new RetentionPausedError();
    }
    this.lifecycle.assertAcceptsWork();
    const { id } = await this.begin(actorId);
    return id;
  }

  /** Resolves when the sweep of this instance has ended. */
  async untilEnded(): Promise<void> {
    await this.running;
  }

  private async sweepIfDue(): Promise<null> {
    if (this.pause.RETENTION_PAUSED || this.directory.policies.length === 0) {
      return null;
    }
    await this.policies.forgetOld();
    if (RETENTION_KINDS.every((kind) => this.directory.rules(kind) === null)) {
      return null;
    }
    const latest = await this.runs.latest();
    const dueAt = latest?.status === 'cut' ? 0 : (latest?.startedAt.getTime() ?? 0) + HOUR_MILLISECONDS;
    const isAbandoned = latest?.status === 'running' && !this.runs.isAlive(latest);
    if (isAbandoned || (latest?.status !== 'running' && dueAt <= this.clock.now().getTime())) {
      await this.begin(null).catch((error: unknown) => {
        // Another instance was faster.
        if (!(error instanceof RetentionRunningError)) throw error;
      });
      await this.untilEnded();
    }
    return null;
  }

  private async begin(actorId: number | null): Promise<RetentionSweepEntity> {
    const rules = RETENTION_KINDS.flatMap((kind) => this.directory.rules(kind) ?? []);
    const sweep = await this.runs.begin(
      actorId,
      rules.flatMap(({ policyIds }) => policyIds),
    );
    if (actorId !== null) {
      // It deletes all that a preview shows.
      this.places.clear();
    }
    this.running = this.sweep(sweep, rules).finally(() => (this.running = undefined));
    return sweep;
  }

  private async sweep(sweep: RetentionSweepEntity, rules: readonly KindRules[]): Promise<void> {
    try {
      await this.tracing.traceJob(
        'retention',
        () => this.sweepAll(sweep, rules),
        () => ({ ...sweep.deleted }),
      );
      await this.runs.end(sweep, 'completed');
      await this.database.clearLog();
    } catch (error) {
      if (error instanceof SweepLostError) {
        this.logger.warn({ sweep_id: sweep.id }, 'Another instance has taken over a retention sweep.');
        return;
      }
      const isCut =
        this.lifecycle.isDraining || error instanceof ServiceUnavailableError || error instanceof PoliciesChangedError;
      if (!isCut) {
        this.logger.error({ error, sweep_id: sweep.id }, 'A retention sweep failed. It will be tried again.');
      }
      // Without a database, the lease ends, and the next sweep marks this one as cut.
      await this.runs.end(sweep, isCut ? 'cut' : 'failed').catch(() => undefined);
    }
  }

  private async sweepAll(sweep: RetentionSweepEntity, rules: readonly KindRules[]): Promise<void> {
    for (const ofKind of rules) {
      for (const due of this.classesOf(ofKind)) {
        for (const rows of this.data.of(ofKind.kind)) {
          await this.sweepRows(rows, due, sweep, () => this.pauseOf(sweep, ofKind));
        }
      }
    }
  }

  /** The rows of a class, oldest first. Each row is read once, also if it stays, such as a running conversation. */
  private async sweepRows(
    rows: RetainedRows,
    due: DueClass,
    sweep: RetentionSweepEntity,
    pause: () => Promise<void>,
  ): Promise<void> {
    const { manager } = this.database;
    const condition = dueRows(manager, rows, due, this.clock.now());
    const candidates = rows.hidesHeld === true ? condition : allOf(condition, heldOnly(rows, false));
    const order = { [rows.at]: 'ASC' as const, [rows.id]: 'ASC' as const };
    const options = { members: [rows.id, rows.at], order, limit: rows.batch, withDeleted: true };
    const place = JSON.stringify([rows.kind, due.owners]);
    const last = rows.staysInTable ? this.places.get(place) : undefined;
    const first = last ? allOf(candidates, rowsAfter(manager, rows, last)) : candidates;
    let found = await findRows(manager, rows.entity, first, options);
    while (found.length > 0) {
      await pause();
      const { deleted, held } = await rows.remove(
        found.map((row) => row[rows.id] as number),
        candidates,
        pause,
      );
      this.count(sweep, rows.kind, deleted, held ?? 0);
      if (rows.staysInTable) {
        this.places.set(place, found.at(-1), { noUpdateTTL: true });
      }
      if (found.length < rows.batch) {
        return;
      }
      const following = allOf(candidates, rowsAfter(manager, rows, found.at(-1)!));
      found = await findRows(manager, rows.entity, following, options);
    }
  }

  /** Between two transactions. @throws ServiceUnavailableError, SweepLostError, PoliciesChangedError */
  private async pauseOf(sweep: RetentionSweepEntity, rules: KindRules): Promise<void> {
    await delay(PAUSE_MILLISECONDS);
    this.lifecycle.assertAcceptsWork();
    await this.runs.keep(sweep);
    // What lengthens retention acts at once, also on data that a sweep has found already.
    await this.directory.reload();
    if (!isSame(rules, this.directory.rules(rules.kind))) {
      throw new PoliciesChangedError();
    }
  }

  private count(
    sweep: RetentionSweepEntity,
    kind: RetentionKind,
    deleted: Partial<RetentionSweepEntity['deleted']>,
    held: number,
  ): void {
    for (const name of DELETED_COUNTS) {
      sweep.deleted[name] += deleted[name] ?? 0;
    }
    if (kind === 'chats' || kind === 'files') {
      sweep.held[kind] += held;
    }
    deletedTotal.inc({ kind }, deleted[kind] ?? 0);
  }

  /** Days for which data of the kind is kept whatever a policy says. */
  private floorOf(kind: RetentionKind): number {
    return kind === 'ledger' ? this.config.LEDGER_MIN_DAYS : kind === 'audit' ? this.config.AUDIT_MIN_DAYS : 0;
  }
}

function isSame(one: KindRules, other: KindRules | null): boolean {
  const textOf = (rules: KindRules): string => JSON.stringify([rules.service, [...rules.groups]]);
  return other !== null && textOf(one) === textOf(other);
}
