import { execFile } from 'node:child_process';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../eventually';
import { freePort } from './free-port';
import { GuardedProcess, type Launch } from './guarded-process';
import { Haproxy } from './haproxy';
import { requireProgram } from './required-program';
import { askAsRoot, createSqlDatabase } from './sql-server';

const install = 'apt-get install -y mariadb-server galera-4 rsync';
const LIBRARY = '/usr/lib/galera/libgalera_smm.so';
const NODES = 3;
const PASSWORD = 'cluster';

/** Three MariaDB nodes that share all writes, and HAProxy in front of two of them: it alternates connections. */
export class GaleraCluster {
  private constructor(
    private readonly nodes: Node[],
    private readonly proxy: Haproxy,
    /** URL of an empty database, through HAProxy. */
    readonly url: string,
  ) {}

  static async start(): Promise<GaleraCluster> {
    const ports = await Promise.all(Array.from({ length: NODES * 2 }, () => freePort()));
    const members = ports.slice(NODES).map((port) => `127.0.0.1:${port}`);
    const nodes: Node[] = [];
    for (let index = 0; index < NODES; index++) {
      nodes.push(await Node.make(index, ports[index] as number, ports[NODES + index] as number, members));
      await nodes[index]?.start(index === 0);
      if (index === 0) {
        await nodes[0]?.query(`CREATE USER tester@'%' IDENTIFIED BY '${PASSWORD}'`);
        await nodes[0]?.query("GRANT ALL ON *.* TO tester@'%'");
      }
    }
    // The third one is used if both others fail.
    const proxy = await Haproxy.before(
      nodes.map(({ port }, index) => (index === NODES - 1 ? `${port} backup` : `${port}`)),
    );
    const server = `mysql://tester:${PASSWORD}@127.0.0.1:${proxy.port}/`;
    const { url } = await eventually(() => createSqlDatabase(server).catch(() => undefined));
    return new GaleraCluster(nodes, proxy, url);
  }

  /** Stops a node like a power cut. */
  async kill(index: number): Promise<void> {
    await this.nodes[index]?.kill();
  }

  /** Starts a node again, and waits until it has all missed data. */
  async revive(index: number): Promise<void> {
    await this.nodes[index]?.start(false);
  }

  /** Stops HAProxy immediately, with all connections, and starts it again. */
  async restartProxy(): Promise<void> {
    await this.proxy.restart();
  }

  /** Runs a statement on one node. */
  query(index: number, sql: string): Promise<Record<string, unknown>[]> {
    return this.nodes[index]?.query(sql) ?? Promise.resolve([]);
  }

  async stop(): Promise<void> {
    await this.proxy.close();
    await Promise.all(this.nodes.map((node) => node.close()));
  }
}

/** One of its servers. */
class Node {
  private constructor(
    private readonly process: GuardedProcess,
    readonly port: number,
    private readonly launchArguments: string[],
  ) {}

  static async make(index: number, port: number, groupPort: number, members: string[]): Promise<Node> {
    const process = await GuardedProcess.open(`chat-galera-${index}`);
    const data = join(process.folder, 'data');
    const user = await accountFor(process.folder);
    await process.run(requireProgram('mariadb-install-db', install), [
      ...['--no-defaults', `--datadir=${data}`, `--tmpdir=${process.folder}`, ...user],
      ...['--auth-root-authentication-method=normal', '--skip-test-db'],
    ]);
    const [incremental, transfer] = [await freePort(), await freePort()];
    const node = new Node(process, port, [
      ...['--no-defaults', ...user, `--datadir=${data}`, `--tmpdir=${process.folder}`, `--port=${port}`],
      ...['--bind-address=127.0.0.1', '--skip-name-resolve', `--socket=${join(process.folder, 'm.sock')}`],
      ...[`--pid-file=${join(process.folder, 'm.pid')}`, '--character-set-server=utf8mb4', '--max-connections=200'],
      ...['--binlog-format=ROW', '--innodb-autoinc-lock-mode=2', '--innodb-flush-log-at-trx-commit=0'],
      ...['--innodb-buffer-pool-size=64M', '--innodb-flush-method=nosync', '--wsrep-on=ON'],
      ...[`--wsrep-provider=${LIBRARY}`, '--wsrep-cluster-name=chat', `--wsrep-node-name=node${index}`],
      ...['--wsrep-node-address=127.0.0.1', `--wsrep-sst-receive-address=127.0.0.1:${transfer}`],
      ...[
        '--wsrep-sst-method=rsync',
        '--wsrep-slave-threads=2',
        `--wsrep-cluster-address=gcomm://${members.join(',')}`,
      ],
      `--wsrep-provider-options=base_port=${groupPort};gmcast.listen_addr=tcp://127.0.0.1:${groupPort};` +
        `ist.recv_addr=127.0.0.1:${incremental};gcache.size=32M;evs.keepalive_period=PT0.5S;evs.suspect_timeout=PT2S;evs.inactive_timeout=PT4S`,
    ]);
    return node;
  }

  async start(isFirst: boolean): Promise<void> {
    const launch: Launch = {
      command: requireProgram('mariadbd', install),
      arguments: [...this.launchArguments, ...(isFirst ? ['--wsrep-new-cluster'] : [])],
      ready: 'ready for connections',
    };
    await this.process.start(launch);
    await eventually(async () => {
      // A joining node may close connections until it has the data.
      const [state] = await this.query("SHOW STATUS LIKE 'wsrep_local_state_comment'").catch(() => []);
      return state?.Value === 'Synced';
    });
  }

  query(sql: string): Promise<Record<string, unknown>[]> {
    return askAsRoot(join(this.process.folder, 'm.sock'), sql);
  }

  async kill(): Promise<void> {
    await this.process.end('SIGKILL');
  }

  close(): Promise<void> {
    return this.process.close();
  }
}

/**
 * Root runs the server as the account that Debian creates for it: otherwise rsync, by which nodes get their first data,
 * would drop root's privileges and not reach the folder.
 */
async function accountFor(folder: string): Promise<string[]> {
  if (globalThis.process.getuid?.() !== 0) {
    return [];
  }
  const ids = await Promise.all(['-u', '-g'].map((kind) => promisify(execFile)('id', [kind, 'mysql'])));
  const [user = 0, group = 0] = ids.map(({ stdout }) => Number(stdout));
  chownSync(folder, user, group);
  return ['--user=mysql'];
}
