import 'reflect-metadata';
import { migrateService } from './migrate-service';
import { endWithReason } from './process/end-with-reason';

/** `node dist/migrate.js`: migrates the database of DATABASE_URL, and ends. */
migrateService().then(() => {
  process.exitCode = 0;
  process.stdout.write('The database is migrated.\n');
}, endWithReason);

// A process that ends while it waits has not migrated, and no job may take that for success.
process.exitCode = 1;
