import { ValidateBy } from 'class-validator';
import { Switch } from '../config/environment-rules';
import { connectionFault } from './connection/connection-settings';

/** Where the service stores its data. */
export class DatabaseConfig {
  /**
   * `sqlite:<file>` for one instance, `mysql://user:password@host:3306/name` (MySQL 8+, MariaDB 10.6+) for any number.
   */
  @ValidateBy({
    name: 'connection',
    validator: {
      validate: (value) => connectionFault(String(value)) === null,
      defaultMessage: (validation) => `$property must be ${connectionFault(String(validation?.value))}`,
    },
  })
  DATABASE_URL = 'sqlite:./data/app.sqlite';

  /** Migrates the database at start. Otherwise the service waits until `npm run migrate` has migrated it. */
  @Switch()
  MIGRATE = true;

  /** Also starts with a database that a later version has migrated. */
  @Switch()
  ALLOW_NEWER_SCHEMA = false;
}
