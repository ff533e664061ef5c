import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { GuardedProcess, type Launch } from './guarded-process';
import { requireProgram } from './required-program';
import { SqlServer } from './sql-server';

const program = '/usr/sbin/mysqld';

/** An initialised MySQL server that does not run yet. */
export interface PreparedMysql {
  process: GuardedProcess;
  /** Its socket, where root needs no password once it runs. */
  socketPath: string;
  launchOn(port: number): Launch;
}

/** Starts a private MySQL on a free port. */
export async function startMysqlServer(): Promise<SqlServer> {
  const { process, launchOn, socketPath } = await prepareMysql('chat-mysql', () => [
    '--skip-log-bin',
    '--performance-schema=OFF',
    // Dozens of tables are created for each test file; a file for each of them takes longer.
    '--innodb-file-per-table=OFF',
  ]);
  try {
    return await SqlServer.open(process, launchOn, socketPath);
  } catch (error) {
    await process.close();
    throw error;
  }
}

/**
 * Creates a MySQL server in its own folder. It runs inside the Debian folder that `mysql-root.sh` creates, because
 * Debian's stable release has only MariaDB; entering that folder needs root.
 *
 * @param own its arguments; the folder is its path inside the Debian folder
 * @throws Error if the Debian folder is missing, or the server cannot be initialised
 */
export async function prepareMysql(name: string, own: (folder: string) => string[]): Promise<PreparedMysql> {
  const rootFolder = await mysqlRootFolder();
  await access(join(rootFolder, program));
  const command = requireProgram('chroot', 'apt-get install -y coreutils');
  const process = await GuardedProcess.open(name, join(rootFolder, 'tmp'));
  const folderInside = `/tmp/${basename(process.folder)}`;
  const common = [rootFolder, program, '--no-defaults', '--user=root', `--datadir=${folderInside}/data`];
  try {
    await process.run(command, [...common, '--initialize-insecure']);
  } catch (error) {
    await process.close();
    throw error;
  }
  const launchOn = (port: number): Launch => ({
    command,
    arguments: [
      ...common,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      `--socket=${folderInside}/m.sock`,
      `--pid-file=${folderInside}/m.pid`,
      '--mysqlx=OFF',
      '--secure-file-priv=NULL',
      '--default-time-zone=+05:00',
      '--max-connections=400',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-doublewrite=OFF',
      '--innodb-flush-method=nosync',
      ...own(folderInside),
    ],
    ready: 'ready for connections',
  });
  return { process, socketPath: join(process.folder, 'm.sock'), launchOn };
}

async function mysqlRootFolder(): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', [join(__dirname, 'mysql-root.sh'), '--print-folder']);
  return stdout.trim();
}
