import type { DataSource } from 'typeorm';

/**
 * Has TypeORM bind whole numbers on SQLite. Left alone it writes them into the text of the statement, so that each id
 * makes another statement, which is parsed anew and pushes others out of the cache.
 */
export function bindNumbers(dataSource: DataSource): DataSource {
  const { driver } = dataSource;
  const escape = driver.escapeQueryWithParameters.bind(driver);
  driver.escapeQueryWithParameters = (sql, parameters) => escape(sql, boundNumbers(parameters));
  return dataSource;
}

/** The driver binds what is no number to JavaScript, and SQLite takes these for integers. */
function boundNumbers(parameters: Record<string, unknown> = {}): Record<string, unknown> {
  const bound: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) {
    bound[name] = Number.isSafeInteger(value) ? BigInt(value as number) : value;
  }
  return bound;
}
