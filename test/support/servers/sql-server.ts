import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { type GuardedProcess, type Launch } from './guarded-process';

const account = 'tester';
// Characters that a URL must escape, to reveal a careless parser of DATABASE_URL.
const password = 'p@ss:w/rd';

/** A database created for one test file. */
export interface TestDatabase {
  /** Value for DATABASE_URL; the database is empty. */
  url: string;
  /** Removes it with its data. Close the application first. */
  drop(): Promise<void>;
}

/**
 * Creates an empty database on a running server.
 *
 * @param serverUrl a URL of that server; its database name is ignored
 */
export async function createSqlDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await execute(serverUrl, [`CREATE DATABASE ${name} CHARACTER SET utf8mb4`]);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(serverUrl, [`DROP DATABASE IF EXISTS ${name}`]) };
}

/** A private MySQL or MariaDB server whose folder and process belong to this test run. */
export class SqlServer {
  private running = true;

  private constructor(
    private readonly guardedProcess: GuardedProcess,
    private readonly launch: Launch,
    /** Its port on 127.0.0.1, unchanged by `stop({ keepData: true })` and `start()`. */
    readonly port: number,
    /** An account that may create and fill databases named `test_…`, and nothing else. */
    readonly serverUrl: string,
    /** URL of a database that is created with the server. */
    readonly url: string,
    private readonly socketPath: string,
  ) {}

  /**
   * Starts the server and prepares account and database.
   *
   * @param socketPath the server's UNIX socket on this machine, where root needs no password
   * @param network its network if it is not on 127.0.0.1, once it is connected
   */
  static async open(
    guardedProcess: GuardedProcess,
    launchOn: (port: number) => Launch,
    socketPath: string,
    network?: { host: string; connect: () => Promise<void> },
  ): Promise<SqlServer> {
    const port = await guardedProcess.startOnFreePort(launchOn);
    await network?.connect();
    const [host, clients] = network ? [network.host, '%'] : ['127.0.0.1', '127.0.0.1'];
    const administrator = await createConnection({ socketPath, user: 'root' });
    await administrator.query(`CREATE USER ${account}@'${clients}' IDENTIFIED BY '${password}'`);
    await administrator.query(`GRANT ALL ON \`test\\_%\`.* TO ${account}@'${clients}'`);
    await administrator.end();
    const serverUrl = `mysql://${account}:${encodeURIComponent(password)}@${host}:${port}/`;
    const { url } = await createSqlDatabase(serverUrl);
    return new SqlServer(guardedProcess, launchOn(port), port, serverUrl, url, socketPath);
  }

  /** Creates another empty database on this server. */
  createDatabase(): Promise<TestDatabase> {
    return createSqlDatabase(this.serverUrl);
  }

  /** Runs a statement as root, which the account in the URL cannot. */
  administer(statement: string): Promise<Record<string, unknown>[]> {
    return askAsRoot(this.socketPath, statement);
  }

  /** Stops the server. Its data and folder are removed too, unless `keepData` announces a `start()`. */
  async stop({ keepData = false } = {}): Promise<void> {
    if (this.running && keepData) await this.guardedProcess.end('SIGTERM');
    this.running = false;
    if (!keepData) await this.guardedProcess.close();
  }

  /** Stops the server like a power cut (SIGKILL) and keeps its data for `start()`. */
  async kill(): Promise<void> {
    await this.guardedProcess.end('SIGKILL');
    this.running = false;
  }

  /** Starts it again on the same port and data after `stop({ keepData: true })` or `kill()`. */
  async start(): Promise<void> {
    await this.guardedProcess.start(this.launch);
    this.running = true;
  }

  /** Makes it hang: connections stay open and are accepted, but nothing answers until `resume()`. */
  freeze(): Promise<void> {
    return this.guardedProcess.freeze();
  }

  /** Resumes after `freeze()`. */
  resume(): void {
    this.guardedProcess.resume();
  }
}

/** Queries a server for test tables without a primary key: members of a cluster would diverge in them. */
export const WITHOUT_PRIMARY_KEY = `SELECT table_name FROM information_schema.tables AS made
  WHERE table_schema LIKE 'test\\_%' AND table_type = 'BASE TABLE' AND NOT EXISTS (
    SELECT 1 FROM information_schema.table_constraints AS keys_
    WHERE keys_.table_schema = made.table_schema AND keys_.table_name = made.table_name
      AND keys_.constraint_type = 'PRIMARY KEY'
  )`;

/** Runs a statement as root, who needs no password at the server's UNIX socket. */
export async function askAsRoot(socketPath: string, statement: string): Promise<Record<string, unknown>[]> {
  const administrator = await createConnection({ socketPath, user: 'root' });
  try {
    const [rows] = await administrator.query(statement);
    return rows as Record<string, unknown>[];
  } finally {
    await administrator.end();
  }
}

async function execute(serverUrl: string, statements: string[]): Promise<void> {
  const { hostname, port, username, password: secret } = new URL(serverUrl);
  const connection = await createConnection({
    host: hostname,
    port: Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(secret),
  });
  for (const statement of statements) await connection.query(statement);
  await connection.end();
}
