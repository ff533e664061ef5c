import { ValidateBy } from 'class-validator';
import { connectionFault } from './connection/connection-settings';

/** Where the service stores its data. */
export class DatabaseConfig {
  /** `sqlite:<file>` for one instance, `mysql://user:password@host:3306/name` (MySQL 8+, MariaDB 10.6+) for any number. */
  @ValidateBy({
    name: 'connection',
    validator: {
      validate: (value) => connectionFault(String(value)) === null,
      defaultMessage: (validation) => `$property must be ${connectionFault(String(validation?.value))}`,
    },
  })
  DATABASE_URL = 'sqlite:./data/app.sqlite';
}
