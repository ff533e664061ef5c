import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { GuardedProcess } from './guarded-process';
import { requireProgram } from './required-program';
import { SqlServer } from './sql-server';

const program = '/usr/sbin/mysqld';

/**
 * Starts a private MySQL on a free port. It runs inside the Debian folder that `mysql-root.sh` makes, because Debian's
 * stable release has only MariaDB; entering that folder needs root.
 *
 * @throws Error when the folder is missing, or the server does not start
 */
export async function startMysqlServer(): Promise<SqlServer> {
  const rootFolder = await mysqlRootFolder();
  await access(join(rootFolder, program));
  const chroot = requireProgram('chroot', 'apt-get install -y coreutils');
  const guardedProcess = await GuardedProcess.open('chat-mysql', join(rootFolder, 'tmp'));
  const folderInside = `/tmp/${basename(guardedProcess.folder)}`;
  const common = [rootFolder, program, '--no-defaults', '--user=root', `--datadir=${folderInside}/data`];
  try {
    await guardedProcess.run(chroot, [...common, '--initialize-insecure']);
    return await SqlServer.open(
      guardedProcess,
      (port) => ({
        command: chroot,
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
          '--skip-log-bin',
          '--performance-schema=OFF',
          '--innodb-flush-log-at-trx-commit=0',
          '--innodb-doublewrite=OFF',
          // Tables are made by the dozen for each test file; a file for each of them takes longer.
          '--innodb-file-per-table=OFF',
          '--innodb-flush-method=nosync',
        ],
        ready: 'ready for connections',
      }),
      join(guardedProcess.folder, 'm.sock'),
    );
  } catch (error) {
    await guardedProcess.close();
    throw error;
  }
}

async function mysqlRootFolder(): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', [join(__dirname, 'mysql-root.sh'), '--print-folder']);
  return stdout.trim();
}
