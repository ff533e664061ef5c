import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module';
import { configureApp } from './app.setup';
import { FastExpressAdapter } from './common/http/fast-express.adapter';
import { AppConfig } from './config/app.config';
import { OperatorError } from './config/operator.error';
import { readEnvironment } from './config/read-environment';
import { listen } from './listen';
import { announceStart } from './start-message';

async function start(): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.register(readEnvironment()),
    new FastExpressAdapter(),
    // No logger until configureApp sets ours: Nest's own would show all members of an error, and one may be an address
    // with its password.
    { bodyParser: false, bufferLogs: true, abortOnError: false, logger: false },
  );
  configureApp(app);
  const { PORT, HOST } = app.get(AppConfig);
  await listen(app, PORT, HOST);
  announceStart(app);
}

start().catch((error: unknown) => {
  // What an operator can mend is said in a sentence; anything else needs its stack.
  process.stderr.write(
    `${error instanceof OperatorError ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
});
