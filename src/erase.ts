import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';
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
  const app = await NestFactory.createApplicationContext(AppModule.register(readEnvironment()), {
    abortOnError: false,
    logger: ['error', 'warn'],
  });
  try {
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
