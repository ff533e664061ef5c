import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFolder } from './database-folder';
import { GuardedProcess } from './guarded-process';
import type { ServerNetwork } from './network-namespace';
import { requireProgram } from './required-program';
import { SqlServer } from './sql-server';

const install = 'apt-get install -y mariadb-server';

/** How a private MariaDB differs from the default one. */
export interface MariadbOptions {
  /** Keeps every acknowledged commit after `kill()`, at the cost of speed. Default false. */
  durable?: boolean;
  /** Maximum statement size, in bytes; default 16 MiB. */
  maxAllowedPacket?: number;
  /** Buffer pool size, in bytes; default 128 MiB. */
  bufferPool?: number;
  /** The increment between its ids, and the first one; default 1 and 1. Servers that share their writes use others. */
  ids?: { increment: number; offset: number };
  /** The parent folder; default: the one for all databases of a run, or a disk if it is durable. */
  folder?: string;
  /** Its own network; default: the one of this machine, where it listens on 127.0.0.1. */
  network?: ServerNetwork;
}

/**
 * Starts a private MariaDB on a free port, in its own folder, with a time zone other than UTC so that time zone errors
 * show.
 *
 * @throws Error if the program is not installed or does not start
 */
export async function startMariadbServer({
  durable = false,
  maxAllowedPacket,
  bufferPool,
  ids = { increment: 1, offset: 1 },
  folder,
  network,
}: MariadbOptions = {}): Promise<SqlServer> {
  const installer = requireProgram('mariadb-install-db', install);
  const program = requireProgram('mariadbd', install);
  const guardedProcess = await GuardedProcess.open('chat-mariadb', folder ?? (durable ? undefined : databaseFolder()));
  const dataFolder = join(guardedProcess.folder, 'data');
  const socketPath = join(guardedProcess.folder, 'm.sock');
  const processFile = join(guardedProcess.folder, 'm.pid');
  const [command = program, ...launched] = [...(network?.launcher ?? []), program];
  try {
    await guardedProcess.run(installer, [
      '--no-defaults',
      `--datadir=${dataFolder}`,
      // In a shared folder, starting servers remove each other's temporary tables.
      `--tmpdir=${guardedProcess.folder}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      ...serverAccount(),
    ]);
    return await SqlServer.open(
      guardedProcess,
      (port) => ({
        command,
        arguments: [
          ...launched,
          '--no-defaults',
          ...serverAccount(),
          `--datadir=${dataFolder}`,
          `--tmpdir=${guardedProcess.folder}`,
          `--port=${port}`,
          `--bind-address=${network ? '0.0.0.0' : '127.0.0.1'}`,
          '--skip-name-resolve',
          `--socket=${socketPath}`,
          `--pid-file=${processFile}`,
          '--default-time-zone=+05:00',
          '--character-set-server=utf8mb4',
          '--max-connections=400',
          `--auto-increment-increment=${ids.increment}`,
          `--auto-increment-offset=${ids.offset}`,
          ...(maxAllowedPacket === undefined ? [] : [`--max-allowed-packet=${maxAllowedPacket}`]),
          ...(bufferPool === undefined ? [] : [`--innodb-buffer-pool-size=${bufferPool}`]),
          ...(durable ? ['--innodb-flush-log-at-trx-commit=1'] : relaxedDurability),
        ],
        ready: 'ready for connections',
      }),
      socketPath,
      network && { host: network.host, connect: () => network.connect(Number(readFileSync(processFile, 'utf8'))) },
    );
  } catch (error) {
    await guardedProcess.close();
    throw error;
  }
}

const relaxedDurability = [
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-flush-method=nosync',
  '--innodb-doublewrite=0',
  '--innodb-fast-shutdown=2',
  // It does not sync each table definition to the disk before the next one is created either.
  '--skip-sync-frm',
  // Dozens of tables are created for each test file; a file for each of them takes twice as long.
  '--skip-innodb-file-per-table',
];

/** The server refuses to run as root unless a user is named; any other user runs it directly. */
function serverAccount(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}
