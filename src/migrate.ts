import 'reflect-metadata';
import { migrateService } from './migrate-service';
import { endWithReason } from './start-service';

/** `node dist/migrate.js`: migrates the database of DATABASE_URL, and ends. */
migrateService().then(() => process.stdout.write('The database is migrated.\n'), endWithReason);
