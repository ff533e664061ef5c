import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module';
import { FastExpressAdapter } from './common/http/server/fast-express-adapter';
import { OperatorError } from './config/operator.error';
import { readEnvironment } from './config/read-environment';
import { Database } from './database/database';
import { AccountRetention } from './modules/user/personal-data/account.retention';
import { endWithReason } from './process/end-with-reason';

/** The arguments of the command are invalid. */
class UsageError extends OperatorError {
  override readonly name = 'UsageError';

  constructor() {
    super('Name the accounts to erase by their ids: npm run erase -- 42 43');
  }
}

/**
 * `node dist/erase.js <id>…` erases accounts at once, also with RETENTION_PAUSED, to repeat erasures after a backup was
 * restored. It refuses accounts under a legal hold. With SQLite, stop the service first.
 */
async function main(ids = process.argv.slice(2)): Promise<void> {
  if (ids.length === 0 || !ids.every((id) => /^[1-9]\d{0,9}$/.test(id))) {
    throw new UsageError();
  }
  // A whole service that does not listen: modules from all over it erase data, and some need the server.
  const module = AppModule.register(readEnvironment());
  const options = { bodyParser: false, abortOnError: false, logger: ['error' as const, 'warn' as const] };
  const app = await NestFactory.create<NestExpressApplication>(module, new FastExpressAdapter(), options);
  try {
    await app.init();
    await app.get(Database).whenReady();
    for (const id of ids) {
      process.stdout.write(`${id}: ${await erase(app.get(AccountRetention), Number(id))}\n`);
    }
  } finally {
    await app.close();
  }
}

/** Refusals do not keep the other accounts from being erased. */
async function erase(accounts: AccountRetention, id: number): Promise<string> {
  try {
    if (await accounts.eraseNow(id)) {
      return 'erased';
    }
    process.exitCode = 1;
    return 'kept, because a legal hold covers it';
  } catch (error) {
    process.exitCode = 1;
    return (error as Error).message;
  }
}

main().catch(endWithReason);
