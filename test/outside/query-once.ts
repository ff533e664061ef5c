import { DataSource } from 'typeorm';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';

/** The rows of one query, over a connection separate from those of the service. */
export async function queryOnce(url: string, sql: string): Promise<Record<string, string>[]> {
  const source = await new DataSource(dataSourceOptions(connectionSettings(url), [])).initialize();
  try {
    return await source.query<Record<string, string>[]>(sql);
  } finally {
    await source.destroy();
  }
}
