import { AppModule } from '../../src/app.module';
import { type EnvironmentVariables } from '../../src/config/load-configuration';
import { OperatorError } from '../../src/config/operator.error';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';
import { ServiceDataSource } from '../../src/database/connection/service-data-source';
import { Database } from '../../src/database/database';

/**
 * The error for a configuration with which the service does not start. `main.ts` prints its operator errors and exits
 * with 1, which `test/contract/start.spec.ts` covers with the built service.
 */
export function configurationRefusal(environment: EnvironmentVariables): string {
  try {
    AppModule.register(environment);
  } catch (error) {
    return told(error);
  }
  throw new Error('The service takes this configuration.');
}

/** The error for a database with which the service does not start. */
export async function databaseRefusal(url: string): Promise<string> {
  const settings = connectionSettings(url);
  const database = new Database(new ServiceDataSource(dataSourceOptions(settings, [])), settings);
  try {
    await database.onModuleInit();
    await database.whenReady();
  } catch (error) {
    return told(error);
  } finally {
    await database.onApplicationShutdown();
  }
  throw new Error('The service takes this database.');
}

function told(error: unknown): string {
  expect(error).toBeInstanceOf(OperatorError);
  return (error as OperatorError).message;
}
