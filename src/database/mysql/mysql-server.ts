import type * as mysql2 from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import { loadPackage } from '../../common/load-package';
import { OperatorError } from '../../config/operator.error';
import type { MysqlSettings } from '../connection/connection-settings';

/** The oldest supported versions, as major and minor number. */
const OLDEST = { mysql: [8, 0], mariadb: [10, 6] } as const;

/** The server is too old. The message names the supported versions. */
export class UnsupportedServerError extends OperatorError {
  override readonly name = 'UnsupportedServerError';

  constructor({ host, port }: MysqlSettings, version: string) {
    super(
      `The database at ${host}:${port} is version ${version}: the service needs MySQL 8.0 or MariaDB 10.6, or later.`,
    );
  }
}

/**
 * Sets whether the server is MySQL or MariaDB, because TypeORM describes their schemas differently. Only the server
 * knows, so this queries it before the data source opens.
 *
 * @throws UnsupportedServerError
 */
export async function detectMysqlFlavour(dataSource: DataSource, settings: MysqlSettings): Promise<void> {
  const { version, flavour: type } = await serverVersion(settings);
  if (isTooOld(version)) {
    throw new UnsupportedServerError(settings, version);
  }
  // The driver has its own copy of the options.
  Object.assign(dataSource.options, { type });
  Object.assign(dataSource.driver.options, { type });
}

/** Queries the version of the server. */
export async function serverVersion(
  settings: MysqlSettings,
): Promise<{ version: string; flavour: keyof typeof OLDEST }> {
  let version = '';
  await withOwnConnection(settings, async (connection) => {
    const [rows] = await connection.query<mysql2.RowDataPacket[]>('SELECT VERSION() AS version');
    version = String(rows[0]?.version);
  });
  return { version, flavour: flavourOf(version) };
}

/** @param version as the server reports it, such as `8.4.3` or `10.11.14-MariaDB-0+deb12u2` */
export function isTooOld(version: string): boolean {
  // Some MariaDB servers report a MySQL version before their own.
  const [major = 0, minor = 0] = version
    .replace(/^5\.5\.5-/, '')
    .split('.')
    .map(Number.parseFloat);
  const [oldestMajor, oldestMinor] = OLDEST[flavourOf(version)];
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

function flavourOf(version: string): keyof typeof OLDEST {
  return version.includes('MariaDB') ? 'mariadb' : 'mysql';
}

/** Names of the blobs that messages refer to. */
export async function neededOnServer(settings: MysqlSettings): Promise<string[]> {
  let hashes: string[] = [];
  await withOwnConnection(settings, async (connection) => {
    const [rows] = await connection.query<mysql2.RowDataPacket[]>('SELECT hash FROM blobs WHERE is_referenced = 1');
    hashes = rows.map((row) => String(row.hash));
  });
  return hashes;
}

/** Runs `work` with a connection outside the pool. */
export async function withOwnConnection(
  settings: MysqlSettings,
  work: (connection: mysql2.Connection) => Promise<void>,
): Promise<void> {
  const { createConnection } = loadPackage('mysql2/promise') as typeof mysql2;
  const connection = await createConnection({
    host: settings.host,
    port: settings.port,
    user: settings.username,
    password: settings.password,
    database: settings.database,
    ssl: settings.ssl ? {} : undefined,
    connectTimeout: settings.waitSeconds * 1_000,
  });
  // If the server becomes unavailable, the next statement fails. Without a listener, this event would end the process.
  connection.on('error', () => undefined);
  try {
    await work(connection);
  } finally {
    await connection.end();
  }
}
