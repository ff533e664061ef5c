import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { register } from 'prom-client';
import { Attention } from '../../../common/attention/attention';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors/api-error';
import { DomainEvents } from '../../../common/events/domain-events';
import { recentLines } from '../../../common/logging/recent-lines';
import { ServiceSecret } from '../../../common/security/service-secret';
import { userPseudonym } from '../../../common/security/user-pseudonym';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { readRows } from '../../../database/statements/long-reads';
import { InstanceHeartbeat } from '../../generation/generation.api';
import { HealthService } from '../../health/health.api';
import type { VariableDto } from '../configuration/configuration.dto';
import { ConfigurationService } from '../configuration/configuration.service';
import { InstancesService } from '../instances/instances.service';
import { supportBundleAudit } from '../operation.audit';
import { type BundleContent, lastLines, writeBundle } from './bundle-file';
import { cleanLine, cleanMetrics } from './cleaned-log';
import { countFailures, countTables, listMigrations, type Read } from './database-figures';

/** Settings that contain an address of a person. */
const PERSONAL = new Set(['ADMIN_EMAIL', 'MAIL_FROM']);

const MOST_ITEMS = 1_000;

/** Makes support bundles: what a developer needs to find a fault, without content and without personal data. */
@Injectable()
export class SupportBundleService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly secret: ServiceSecret,
    private readonly health: HealthService,
    private readonly instances: InstancesService,
    private readonly heartbeat: InstanceHeartbeat,
    private readonly configuration: ConfigurationService,
    private readonly attention: Attention,
    private readonly host: HttpAdapterHost,
    private readonly events: DomainEvents,
  ) {}

  async create(hours: number, reason: string): Promise<Buffer> {
    const created = supportBundleAudit.change('create', {
      id: null,
      userId: null,
      before: null,
      after: { hours },
      reason,
    });
    await this.database.write((manager) => this.events.publish(manager, created));
    const createdAt = this.clock.now();
    const read: Read = (statement, parameters) => readRows(this.database, statement, parameters);
    const { entityMetadatas } = this.database.manager.dataSource;
    const tables = [...new Set(entityMetadatas.map(({ tableName }) => tableName))];
    const content: BundleContent = {
      'health.json': await this.healthReport(),
      'instances.json': await this.instances.list(),
      'config.json': withoutPersonal(await this.configuration.list()),
      'metrics.txt': lastLines(cleanMetrics(await register.metrics()).split('\n')),
      'migrations.json': await listMigrations(read),
      'counts.json': await countTables(read, tables),
      'failures.json': await countFailures(read, new Date(createdAt.getTime() - hours * HOUR_MILLISECONDS)),
      'attention.json': await this.openProblems(),
      'log.jsonl': this.log(),
    };
    return writeBundle(content, { createdAt, instanceId: this.heartbeat.ownId, hours, missing: {} });
  }

  /** Details of providers and mail servers contain names, so only those of the database stay. */
  private async healthReport(): Promise<unknown> {
    const report = await this.health.readiness().catch((error: unknown) => {
      if (error instanceof ApiError) {
        return error.details as unknown as Awaited<ReturnType<HealthService['readiness']>>;
      }
      throw error;
    });
    const checks = Object.entries(report.checks).map(([name, { detail, ...check }]) => [
      name,
      name === 'database' || name === 'knowledge' ? { ...check, detail } : check,
    ]);
    return { ...report, checks: Object.fromEntries(checks) as unknown };
  }

  private async openProblems(): Promise<unknown> {
    const items = await this.attention.items();
    return items.slice(0, MOST_ITEMS).map(({ kind, since, count, target }) => ({
      kind,
      since,
      count,
      // Names of providers, tools and budgets are left out.
      target: target !== null && /^\d+$/.test(target) ? target : null,
    }));
  }

  private log(): string {
    const cleaner = { nameOf: (userId: number) => userPseudonym(this.secret, userId), words: this.wordsOfRoutes() };
    const lines = recentLines.all().map((line) => cleanLine(line, cleaner));
    return lastLines(lines.filter((line) => line !== null));
  }

  private wordsOfRoutes(): Set<string> {
    const { router } = this.host.httpAdapter.getInstance<{ router: { stack: { route?: { path: string } }[] } }>();
    const paths = router.stack.flatMap(({ route }) => (typeof route?.path === 'string' ? [route.path] : []));
    return new Set(paths.flatMap((path) => path.split('/')).filter((part) => /^[\w.-]+$/.test(part)));
  }
}

/** The variables of a bundle. */
export function withoutPersonal(variables: readonly VariableDto[]): VariableDto[] {
  return variables.filter(({ name }) => !PERSONAL.has(name));
}
