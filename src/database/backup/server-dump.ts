import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open, readFile, rm, writeFile } from 'node:fs/promises';
import tls from 'node:tls';
import type { EnvironmentVariables } from '../../config/load-configuration';
import type { MysqlSettings } from '../connection/connection-settings';
import { serverVersion } from '../mysql/mysql-server';
import { BackupError } from './backup.error';

/** A dump program and its names of the options. */
interface Dumper {
  program: string;
  options: string[];
  tls: string[];
}

const DUMPERS: Record<'mysql' | 'mariadb', Dumper> = {
  mysql: {
    program: 'mysqldump',
    // Positions in the server's own log belong to the server, not to the data.
    options: ['--set-gtid-purged=OFF'],
    tls: ['--ssl-mode=VERIFY_IDENTITY'],
  },
  mariadb: { program: 'mariadb-dump', options: [], tls: ['--ssl', '--ssl-verify-server-cert'] },
};

/** One read transaction, rows one by one, and nothing that requires more rights than reading the data. */
const OPTIONS = [
  '--single-transaction',
  '--quick',
  '--skip-lock-tables',
  '--no-tablespaces',
  '--default-character-set=utf8mb4',
];

/** A new database for the dump may have another collation, which tables of later migrations would then get. */
const HEAD = 'ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;\n';

/** The last line of a complete dump. */
const END = /-- Dump completed[^\n]*\s*$/;

/**
 * Dumps a server's database as SQL to an empty file. It uses the server's own dump program, which must be installed.
 *
 * @param environment of that program
 * @param signal ends that program
 * @throws BackupError
 */
export async function dumpServer(
  settings: MysqlSettings,
  target: string,
  environment: EnvironmentVariables,
  signal: AbortSignal,
): Promise<void> {
  const { flavour } = await serverVersion(settings);
  const { program, options, tls } = DUMPERS[flavour];
  const file = await open(target, 'r+');
  const authorities = `${target}-authorities.pem`;
  try {
    await file.writeFile(HEAD);
    if (settings.ssl) {
      await writeFile(authorities, await trustedAuthorities(environment));
    }
    const child = spawn(
      program,
      [
        `--host=${settings.host}`,
        `--port=${settings.port}`,
        '--protocol=TCP',
        `--user=${settings.username}`,
        ...OPTIONS,
        ...options,
        ...(settings.ssl ? [...tls, `--ssl-ca=${authorities}`] : []),
        settings.database,
      ],
      // All users of the machine can see the arguments of a process, but only its owner can see its environment.
      { env: { ...environment, MYSQL_PWD: settings.password }, stdio: ['ignore', file.fd, 'pipe'], signal },
    );
    await finished(child, program);
    if (!END.test(await lastBytes(file))) {
      throw new BackupError(`${program} has not written the end of its dump`);
    }
  } finally {
    await file.close();
    await rm(authorities, { force: true });
  }
}

/** The authorities that the service trusts too, by any option. The program itself would trust others, or none. */
async function trustedAuthorities({ NODE_EXTRA_CA_CERTS: own }: EnvironmentVariables): Promise<string> {
  // If Node cannot read the file, it logs a warning and ignores the file.
  const added = own === undefined || own === '' ? '' : await readFile(own, 'utf8').catch(() => '');
  const { getCACertificates, rootCertificates } = tls as typeof tls & {
    getCACertificates?: (kind: string) => string[];
  };
  // Before 22.15, Node does not list the system's authorities, which an option makes it trust.
  return [...(getCACertificates?.('default') ?? rootCertificates), added].join('\n');
}

/** Whether a dump has its last line. */
export async function isWholeDump(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    return END.test(await lastBytes(handle));
  } finally {
    await handle.close();
  }
}

async function finished(child: ChildProcess, program: string): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(error.code === 'ENOENT' ? `${program} is not installed` : error.message);
  })) as [number | null];
  if (code !== 0) {
    throw new BackupError(`${program} failed (${said.trim().replace(/\s+/g, ' ') || 'without a word'})`);
  }
}

async function lastBytes(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  const length = Math.min(size, 200);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString('utf8');
}
