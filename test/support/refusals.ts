import { AppModule } from '../../src/app.module';
import { type EnvironmentVariables } from '../../src/config/load-configuration';
import { OperatorError } from '../../src/config/operator.error';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';
import { ServiceDataSource } from '../../src/database/connection/service-data-source';
import { Database } from '../../src/database/database';

/**
 * What the service says about a configuration with which it does not start. `main.ts` prints what it says to operators
 * and ends with 1, which `test/contract/start.spec.ts` tries with the built service.
 */
export function configurationRefusal(environment: EnvironmentVariables): string {
  try {
    AppModule.register(environment);
  } catch (error) {
    return told(error);
  }
  throw new Error('The service takes this configuration.');
}

/** What the service says about a database that it does not start with. */
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
