import type { NestExpressApplication } from '@nestjs/platform-express';
import { register } from 'prom-client';
import type { ImportedModule } from '../../src/common/features/features';
import { LoadGate } from '../../src/common/load/load-gate';
import { Database } from '../../src/database/database';
import { TokenCounter } from '../../src/integrations/llm/counting/token-counter';
import { type ServiceInstance, startInstance as startServiceInstance } from '../../src/testing/service-instance';
import { GENEROUS_LIMITS } from '../../src/testing/test-service';
import { createMigratedDatabase } from './servers/migrated-database';
import { type SmtpTestServer, startSmtpServer } from './servers/smtp-server';
import { countServiceStart } from './service-starts';
import { shareCounter } from './shared-counter';

/** The whole service, listening on a free port of 127.0.0.1, with its own database and mail server. */
export interface TestApp extends ServiceInstance {
  mails: SmtpTestServer;
  /** The environment it was started with, for starting a second instance. */
  environment: Record<string, string>;
  close(): Promise<void>;
}

/**
 * Starts the service like `main.ts`.
 *
 * @param overrides environment variables that matter to the test
 * @param features modules from outside of the service
 */
export async function startTestApp(
  overrides: Record<string, string> = {},
  features: readonly ImportedModule[] = [],
): Promise<TestApp> {
  // Counters belong to the process, and contain counts from other test files.
  register.resetMetrics();
  const database = overrides.DATABASE_URL === undefined ? await createMigratedDatabase() : undefined;
  const mails = await startSmtpServer();
  const environment: Record<string, string> = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    PORT: '0',
    JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
    SMTP_URL: mails.url,
    MAIL_FROM: 'Chat <chat@service.test>',
    ...GENEROUS_LIMITS,
    ...(database && { DATABASE_URL: database.url }),
    ...overrides,
  };
  const instance = await startInstance(environment, true, features);
  return {
    ...instance,
    mails,
    environment,
    close: async () => {
      await instance.app.close();
      await mails.stop();
      await database?.drop();
    },
  };
}

/**
 * Starts an instance of the service in this process, with the given environment.
 *
 * @param waitsUntilReady resolves only when the database is up; otherwise as soon as the service listens
 * @param features modules from outside of the service
 */
export async function startInstance(
  environment: Record<string, string>,
  waitsUntilReady = true,
  features: readonly ImportedModule[] = [],
): Promise<ServiceInstance> {
  countServiceStart();
  const prepare = (app: NestExpressApplication): void => shareCounter(app.get(TokenCounter));
  const instance = await startServiceInstance({ environment, features, waitsUntilReady, prepare });
  if (waitsUntilReady) {
    makePatient(instance.app);
  }
  return instance;
}

/** A machine that stalls for seconds must not turn a request or statement into a 503. */
function makePatient(app: NestExpressApplication): void {
  const patience = 30_000;
  Object.assign(app.get(Database).manager.dataSource.driver.options, { maxQueryExecutionTime: patience });
  app.get(LoadGate).late = patience;
}
