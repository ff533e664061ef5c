import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module';
import { configureApp } from './app-setup';
import type { ImportedModule } from './common/features/features';
import { FastExpressAdapter } from './common/http/server/fast-express-adapter';
import { Lifecycle } from './common/lifecycle';
import { AppConfig } from './config/app.config';
import type { EnvironmentVariables } from './config/load-configuration';
import { readEnvironment } from './config/read-environment';
import { Database } from './database/database';
import { endAtOnceWhenLate } from './process/end-at-once';
import { listen } from './process/listen';
import { assertEnoughFiles } from './process/open-files';
import { announceStart } from './process/start-message';
import { initialize } from './process/stop-signals';

export interface ServiceOptions {
  /** Modules that do not belong to the service. Their routes come after its own. */
  features?: readonly ImportedModule[];
  /** Default: the environment of the process, and a `.env` file outside production. */
  environment?: EnvironmentVariables;
}

/**
 * Starts the service. Waits for the database, and resolves when the service listens and the database has answered. A
 * signal to stop ends the process.
 *
 * @throws OperatorError for faults that an operator can fix, such as a wrong setting
 */
export async function startService({
  features = [],
  environment = readEnvironment(),
}: ServiceOptions = {}): Promise<NestExpressApplication> {
  assertEnoughFiles();
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.register(environment, features),
    new FastExpressAdapter(),
    // No logger until configureApp sets the service's own. Nest's logger would print all members of an error, such as
    // an address with a password.
    { bodyParser: false, bufferLogs: true, abortOnError: false, logger: false },
  );
  configureApp(app);
  endAtOnceWhenLate(app);
  if (!(await initialize(app))) {
    process.exit(0);
  }
  const { PORT, HOST } = app.get(AppConfig);
  await listen(app, PORT, HOST);
  // Waits for a database that is not up yet. The service says that it is ready only after the database has answered.
  if (await isDatabaseReady(app)) {
    await announceStart(app);
  }
  return app;
}

/** False if a signal stopped the process before its database was ready. */
async function isDatabaseReady(app: INestApplication): Promise<boolean> {
  try {
    await app.get(Database).whenReady();
    return true;
  } catch (error) {
    if (app.get(Lifecycle).isDraining) {
      return false;
    }
    throw error;
  }
}
