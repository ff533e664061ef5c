import { DataSource } from 'typeorm';
import { connectionSettings } from '../../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../../src/database/connection/data-source-options';

/**
 * The query plan of a statement, row by row, over a separate connection: libsql does not finish such a statement, so
 * its connection would read nothing newer afterwards.
 */
export async function explain<Row extends object>(
  { environment }: { environment: Record<string, string | undefined> },
  sql: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const settings = connectionSettings(environment.DATABASE_URL ?? '');
  const dataSource = await new DataSource(dataSourceOptions(settings, [])).initialize();
  try {
    const form = settings.dialect === 'sqlite' ? 'QUERY PLAN' : 'FORMAT=TRADITIONAL';
    return await dataSource.query<Row[]>(`EXPLAIN ${form} ${sql}`, parameters);
  } finally {
    await dataSource.destroy();
  }
}
