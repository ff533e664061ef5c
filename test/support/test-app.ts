import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { register } from 'prom-client';
import { AppModule } from '../../src/app.module';
import { configureApp } from '../../src/app-setup';
import { Clock } from '../../src/common/clock';
import type { ImportedModule } from '../../src/common/features/features';
import { FastExpressAdapter } from '../../src/common/http/server/fast-express-adapter';
import { LoadGate } from '../../src/common/load/load-gate';
import { Database } from '../../src/database/database';
import { TokenCounter } from '../../src/integrations/llm/counting/token-counter';
import { createMigratedDatabase } from './servers/migrated-database';
import { type SmtpTestServer, startSmtpServer } from './servers/smtp-server';
import { countServiceStart } from './service-starts';
import { shareCounter } from './shared-counter';

/** The whole service, listening on a free port of 127.0.0.1, with its own database and mail server. */
export interface TestApp {
  app: NestExpressApplication;
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** The base address of the API: `<origin>/api/v1`. */
  url: string;
  mails: SmtpTestServer;
  /** The environment it was started with, for starting a second instance. */
  environment: Record<string, string>;
  /** Moves the service's clock forward from now on. */
  advanceClock(milliseconds: number): void;
  /** Stops the service's clock from now on, except for `advanceClock`: then only the test lets times expire. */
  freezeClock(): void;
  /** Resets the service's clock, for the next test of an instance. */
  resetClock(): void;
  close(): Promise<void>;
}

/** Limits that tests would reach; tests of limits set them themselves. */
const GENEROUS = {
  RATE_LIMIT_NORMAL: '1000000',
  RATE_LIMIT_PAID: '1000000',
  RATE_LIMIT_ADMIN: '1000000',
  RATE_LIMIT_ANONYMOUS: '1000000',
  RATE_LIMIT_AUTH: '1000000',
  RATE_LIMIT_SIGN_IN: '1000000',
  CODE_PER_CLIENT_HOURLY: '100000',
  CODE_RESEND_SECONDS: '0',
  QUOTA_FREE_MESSAGES: '100000',
  QUOTA_FREE_TOKENS: '100000000',
  // Webhook receivers, downloaded files, and MCP servers are on this machine.
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  MCP_ALLOWED_HOSTS: '127.0.0.1',
};

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
    ...GENEROUS,
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
): Promise<Pick<TestApp, 'app' | 'origin' | 'url' | 'advanceClock' | 'freezeClock' | 'resetClock'>> {
  countServiceStart();
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.register(environment, features),
    new FastExpressAdapter(),
    { bodyParser: false, logger: false, abortOnError: false },
  );
  configureApp(app);
  shareCounter(app.get(TokenCounter));
  await app.listen(0, '127.0.0.1');
  if (waitsUntilReady) {
    await app.get(Database).whenReady();
    makePatient(app);
  }
  const origin = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  let offset = 0;
  let present = Date.now;
  app.get(Clock).now = () => new Date(present() + offset);
  const freezeClock = (): void => {
    const frozen = present();
    present = () => frozen;
  };
  const resetClock = (): void => {
    offset = 0;
    present = Date.now;
  };
  const advanceClock = (milliseconds: number): void => void (offset += milliseconds);
  return { app, origin, url: `${origin}/api/v1`, advanceClock, freezeClock, resetClock };
}

/** A machine that stalls for seconds must not turn a request or statement into a 503. */
function makePatient(app: NestExpressApplication): void {
  const patience = 30_000;
  Object.assign(app.get(Database).manager.dataSource.driver.options, { maxQueryExecutionTime: patience });
  app.get(LoadGate).late = patience;
}
