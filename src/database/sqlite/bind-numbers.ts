import type { DataSource } from 'typeorm';

/**
 * Makes TypeORM bind whole numbers on SQLite. Otherwise it writes them into the text of the statement. Each id then
 * makes a new statement, which must be parsed and removes others from the cache.
 */
export function bindNumbers(dataSource: DataSource): DataSource {
  const { driver } = dataSource;
  const escape = driver.escapeQueryWithParameters.bind(driver);
  driver.escapeQueryWithParameters = (sql, parameters) => escape(sql, boundNumbers(parameters));
  return dataSource;
}

/** Turns whole numbers into BigInts, which TypeORM leaves to the driver. SQLite reads them as integers. */
function boundNumbers(parameters: Record<string, unknown> = {}): Record<string, unknown> {
  const bound: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) {
    bound[name] = Number.isSafeInteger(value) ? BigInt(value as number) : value;
  }
  return bound;
}
