import { Injectable, Logger } from '@nestjs/common';
import { BUILD } from '../../common/build-facts';
import { HealthChecks } from '../../common/health-checks';
import { Lifecycle } from '../../common/lifecycle';
import { gauge } from '../../common/metrics/metrics';
import { RedisConnection } from '../../common/redis/redis-connection';
import { withTimeout } from '../../common/time';
import { Database } from '../../database/database';
import { Writability } from '../../database/writability';
import { LanguageModels } from '../../integrations/llm/language-models';
import { MailQueue } from '../../integrations/mail/mail-queue';
import { DependencyDto, HealthDto } from './health.dto';
import { NotReadyError } from './health.errors';

/** How long the database may take to answer. */
const PING_MILLISECONDS = 2_000;

@Injectable()
export class HealthService {
  private readonly logger = new Logger(HealthService.name);
  private wasReady = true;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnection,
    private readonly mailQueue: MailQueue,
    private readonly languageModels: LanguageModels,
    private readonly parts: HealthChecks,
    private readonly lifecycle: Lifecycle,
    private readonly writability: Writability,
  ) {
    gauge('database_up', 'Whether the database answers', async () =>
      Number((await this.checkDatabase()).latency_ms !== undefined),
    );
    gauge('redis_up', 'Whether Redis answers (NaN when none is configured)', () => {
      const status = this.redis.status();
      return status === 'absent' ? NaN : Number(status === 'up');
    });
  }

  /** @throws NotReadyError with the same report if the service cannot work */
  async readiness(): Promise<HealthDto> {
    const database = await this.checkDatabase();
    const isReady = database.status === 'up' && !this.lifecycle.isDraining;
    const report: HealthDto = {
      status: isReady ? 'ok' : 'unavailable',
      checks: {
        database,
        redis: { status: this.redis.status(), required: false },
        mail: this.checkMail(),
        model_provider: this.checkModelProvider(),
        ...(await this.checkParts()),
      },
      uptime_seconds: Math.floor(process.uptime()),
      ...BUILD,
    };
    this.logChange(isReady, database);
    if (!isReady) {
      throw new NotReadyError(report);
    }
    return report;
  }

  /** Probes come every few seconds, so only changes are logged. */
  private logChange(isReady: boolean, database: DependencyDto): void {
    if (isReady === this.wasReady) {
      return;
    }
    this.wasReady = isReady;
    if (isReady) {
      this.logger.log('The service is ready again.');
    } else {
      const reason = this.lifecycle.isDraining ? 'it is shutting down' : lackOf(database);
      this.logger.warn({ reason }, 'The service is not ready.');
    }
  }

  private async checkDatabase(): Promise<DependencyDto> {
    const { kind: detail, migrationState: reason } = this.database;
    if (reason !== null) {
      return { status: 'down', required: true, detail, reason };
    }
    const startedAt = performance.now();
    try {
      await withTimeout(this.ping(), PING_MILLISECONDS, () => {
        throw new Error('no answer');
      });
      const latency = Math.round(performance.now() - startedAt);
      const state = { required: true, detail, latency_ms: latency };
      return this.writability.isWritable
        ? { status: 'up', ...state }
        : { status: 'down', ...state, reason: 'not_writable' };
    } catch {
      return { status: 'down', required: true, detail };
    }
  }

  private async ping(): Promise<void> {
    await this.database.whenReady();
    await this.database.ping();
  }

  private async checkParts(): Promise<Record<string, DependencyDto>> {
    const parts = Object.entries(await this.parts.read());
    return Object.fromEntries(parts.map(([name, part]) => [name, { ...part, required: false } as DependencyDto]));
  }

  private checkMail(): DependencyDto {
    if (!this.mailQueue.hasServer) {
      return { status: 'absent', required: false };
    }
    const { askedAt } = this.mailQueue;
    const status = this.mailQueue.status().up ? 'up' : 'down';
    return { status, required: false, ...(askedAt && { checked_at: askedAt.toISOString() }) };
  }

  /** The state of the default provider according to the last attempts of this instance. */
  private checkModelProvider(): DependencyDto {
    const name = this.languageModels.defaultProvider;
    const provider = this.languageModels.describe().find((described) => described.provider === name);
    const outcome = provider?.lastOutcome;
    const isDown = !provider?.isConfigured || provider.circuit === 'open' || outcome?.isDown === true;
    return {
      status: isDown ? 'down' : 'up',
      required: false,
      detail: provider ? `${name} (${provider.kind})` : name,
      // Only administrators may see the provider's own message.
      ...(outcome && { checked_at: outcome.at.toISOString() }),
      ...(isDown && { reason: outcome?.reason ?? (provider?.isConfigured ? 'failed' : 'not_configured') }),
    };
  }
}

function lackOf({ reason }: DependencyDto): string {
  if (reason === 'not_writable') {
    return 'its database takes no writes';
  }
  return reason === undefined ? 'its database is away' : 'its database is not migrated yet';
}
