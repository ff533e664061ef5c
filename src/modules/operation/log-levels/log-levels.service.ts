import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, LessThanOrEqual } from 'typeorm';
import type { BackgroundLoop } from '../../../common/background/background-loop';
import { type LogLevel, setLogLevel } from '../../../common/logging/log-level';
import { LoggingConfig } from '../../../common/logging/logging.config';
import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { InstanceHeartbeat } from '../../generation/generation.api';
import { type InstanceReport, InstanceReports } from '../instances/instance-reports';
import { InstancesService } from '../instances/instances.service';
import type { InstanceLogLevelDto, SetLogLevelDto } from './log-level.dto';
import { LogLevelEntity } from './log-level.entity';

/** How often an instance looks for a level that was set at another one. It applies within five seconds. */
const LOOK_MILLISECONDS = 2 * SECOND_MILLISECONDS;

/** A level, and the instance to which it applies. */
interface Target {
  id: string;
  place: string | null;
}

/**
 * Applies the log levels that administrators set for a time. They are rows, so that they reach all instances and
 * survive a restart.
 */
@Injectable()
export class LogLevelsService {
  private readonly logger = new Logger(LogLevelsService.name);
  private readonly loop: BackgroundLoop;
  /** The level that applies to this instance; null: that of its settings. */
  private applied: LogLevelEntity | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly config: LoggingConfig,
    private readonly heartbeat: InstanceHeartbeat,
    private readonly reports: InstanceReports,
    private readonly instances: InstancesService,
    background: BackgroundWork,
  ) {
    database.onReady(async () => void (await this.apply()));
    this.loop = background.add({
      step: () => this.apply(),
      onError: (error) => this.logger.warn({ error }, 'The log level could not be read.'),
      idleMilliseconds: database.isShared ? LOOK_MILLISECONDS : MINUTE_MILLISECONDS,
    });
  }

  /** The level that applies to this instance for a time. Null: that of its settings applies. */
  get temporary(): LogLevel | null {
    return this.applied?.level ?? null;
  }

  /** @throws InstanceNotFoundError */
  async set({ level, instance_id: instanceId = null, minutes }: SetLogLevelDto): Promise<InstanceLogLevelDto[]> {
    if (instanceId !== null) {
      await this.instances.assertRuns(instanceId);
    }
    const now = this.clock.now();
    const until = new Date(now.getTime() + minutes * MINUTE_MILLISECONDS);
    const place = instanceId === null ? null : await this.placeOf(instanceId);
    await this.database.write(async (manager) => {
      await this.removeReplaced(manager, instanceId, now);
      await insertRow(manager, LogLevelEntity, { instanceId, place, level, until });
    });
    await this.apply();
    this.loop.wake();
    this.heartbeat.wake();
    return this.levels();
  }

  /** A level for all replaces those of single instances. */
  private async removeReplaced(manager: EntityManager, instanceId: string | null, now: Date): Promise<void> {
    await deleteRows(manager, LogLevelEntity, instanceId === null ? {} : { instanceId });
    await deleteRows(manager, LogLevelEntity, { until: LessThanOrEqual(now) });
  }

  /** The levels of all running instances, as they will be within five seconds. */
  private async levels(): Promise<InstanceLogLevelDto[]> {
    const rows = await this.read();
    const known = await this.heartbeat.instances();
    const running = new Set((await this.instances.list()).filter(({ state }) => state !== 'lost').map(({ id }) => id));
    return known
      .filter(({ id }) => running.has(id))
      .map(({ id, report }) => {
        const { place = null, log_level = null } = (report ?? {}) as Partial<InstanceReport>;
        const row = chosen(rows, { id, place }, running);
        const level = row?.level ?? (id === this.heartbeat.ownId ? this.config.LOG_LEVEL : log_level);
        return { instance_id: id, level, until: row?.until.toISOString() ?? null } as InstanceLogLevelDto;
      });
  }

  /** Returns the milliseconds until the level ends. */
  private async apply(): Promise<number | null> {
    const rows = await this.read();
    const own = { id: this.heartbeat.ownId, place: this.reports.place };
    const others = rows.filter(({ instanceId, place }) => instanceId !== own.id && place === own.place);
    const running = others.length === 0 ? new Set<string>() : await this.runningIds();
    const row = chosen(rows, own, running);
    const level = row?.level ?? this.config.LOG_LEVEL;
    if (row?.id !== this.applied?.id) {
      this.applied = row;
      setLogLevel(level);
      this.logger.log({ level, until: row?.until ?? null }, 'The log level has changed.');
    }
    return row === null ? null : Math.max(1, row.until.getTime() - this.clock.now().getTime());
  }

  private async read(): Promise<LogLevelEntity[]> {
    const rows = await findRows(this.database.manager, LogLevelEntity, {}, { order: { id: 'DESC' } });
    const now = this.clock.now();
    return rows.filter(({ until }) => until > now);
  }

  private async runningIds(): Promise<Set<string>> {
    return new Set((await this.instances.list()).filter(({ state }) => state !== 'lost').map(({ id }) => id));
  }

  private async placeOf(instanceId: string): Promise<string | null> {
    const found = (await this.heartbeat.instances()).find(({ id }) => id === instanceId);
    return ((found?.report ?? {}) as Partial<InstanceReport>).place ?? null;
  }
}

/**
 * The level of an instance itself, otherwise that of its predecessor at the same place, which does not run any more,
 * otherwise that of all.
 */
function chosen(rows: readonly LogLevelEntity[], target: Target, running: ReadonlySet<string>): LogLevelEntity | null {
  // Only with port 0 can two processes of a host have the same place.
  const isOfPredecessor = ({ instanceId, place }: LogLevelEntity): boolean =>
    instanceId !== null &&
    place !== null &&
    place === target.place &&
    (!place.endsWith(':0') || !running.has(instanceId));
  return (
    rows.find(({ instanceId }) => instanceId === target.id) ??
    rows.find(isOfPredecessor) ??
    rows.find(({ instanceId }) => instanceId === null) ??
    null
  );
}
