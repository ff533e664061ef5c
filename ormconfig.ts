import { join } from 'node:path';
import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { connectionSettings } from './src/database/connection-settings';
import { dataSourceOptions } from './src/database/data-source-options';
import { DatabaseConfig } from './src/database/database.config';

/** For the TypeORM command line; the service itself opens its database in `src/database`. */
export default new DataSource({
  ...dataSourceOptions(connectionSettings(process.env.DATABASE_URL ?? new DatabaseConfig().DATABASE_URL), [
    join(__dirname, 'src/**/*.entity.{ts,js}'),
  ]),
  // The command line tells what it does through the logger.
  logger: 'advanced-console',
  logging: ['error', 'schema', 'migration'],
});
