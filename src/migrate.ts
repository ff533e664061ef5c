import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { LoggingConfig } from './common/logging/logging.config';
import { commandLogger } from './common/logging/logging.module';
import { loadConfiguration } from './config/load-configuration';
import { readEnvironment } from './config/read-environment';
import { migrateService } from './migrate-service';
import { endWithReason } from './process/end-with-reason';

/** `node dist/migrate.js` migrates the database of DATABASE_URL and exits. */
async function main(): Promise<void> {
  const environment = readEnvironment();
  const config = loadConfiguration([LoggingConfig], environment).get(LoggingConfig) as LoggingConfig;
  Logger.overrideLogger(commandLogger(config));
  await migrateService({ environment });
  process.exitCode = 0;
  process.stdout.write('The database is migrated.\n');
}

main().catch(endWithReason);

// A process that exits while it waits has not migrated, and no job may treat that as success.
process.exitCode = 1;
