import { eventually } from '../eventually';
import { freePort } from './free-port';
import { Haproxy } from './haproxy';
import { type PreparedMysql, prepareMysql } from './mysql-server';
import { askAsRoot, createSqlDatabase } from './sql-server';

const MEMBERS = 3;
const NAME = '5b0c2d6e-7f7a-4c39-9d0e-4f6a1f2b3c4d';
const PASSWORD = 'cluster';

/** The reported state of a member. */
const OWN = 'FROM performance_schema.replication_group_members WHERE member_id = @@server_uuid';
const PRIMARY = "member_role = 'PRIMARY' AND member_state = 'ONLINE'";

/** Three MySQL group replication members, one of which is the primary, and HAProxy, which forwards to that one. */
export class MysqlGroup {
  private constructor(
    private readonly members: Member[],
    private readonly proxy: Haproxy,
    /** URL of an empty database, through HAProxy. */
    readonly url: string,
  ) {}

  static async start(): Promise<MysqlGroup> {
    const free = await Promise.all(Array.from({ length: MEMBERS * 2 }, () => freePort()));
    const seeds = free.slice(MEMBERS).map((port) => `127.0.0.1:${port}`);
    const members = await Promise.all(seeds.map((_, index) => Member.start(index, free[index] as number, seeds)));
    const [first, ...others] = members as [Member, ...Member[]];
    await first.join(true);
    for (const statement of [
      `CREATE USER tester@'%' IDENTIFIED BY '${PASSWORD}'`,
      "GRANT ALL ON `test\\_%`.* TO tester@'%'",
      `CREATE USER member@'%' IDENTIFIED BY '${PASSWORD}'`,
      "GRANT REPLICATION SLAVE, CONNECTION_ADMIN, GROUP_REPLICATION_STREAM ON *.* TO member@'%'",
      `CREATE USER ${CHECKER}@'%'`,
      `GRANT SELECT ON performance_schema.replication_group_members TO ${CHECKER}@'%'`,
    ]) {
      await first.query(statement);
    }
    await Promise.all(others.map((member) => member.join(false)));
    const ports = members.map(({ port }) => String(port));
    const proxy = await Haproxy.before(ports, IS_PRIMARY, [1, 2]);
    const server = `mysql://tester:${PASSWORD}@127.0.0.1:${proxy.port}/`;
    const { url } = await createSqlDatabase(server);
    return new MysqlGroup(members, proxy, url);
  }

  /** Runs a statement on the primary. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    return (await this.primary()).query(sql);
  }

  /** Makes another member the primary. */
  async changePrimary(): Promise<void> {
    const primary = await this.primary();
    const [other] = await primary.query(
      "SELECT member_id AS id FROM performance_schema.replication_group_members WHERE member_role = 'SECONDARY' LIMIT 1",
    );
    await primary.query(`SELECT group_replication_set_as_primary('${String(other?.id)}')`);
  }

  /**
   * Removes the primary from the group as an operator should: it serves no client from then on. @returns a function
   * that makes it join again
   */
  async withdrawPrimary(): Promise<() => Promise<void>> {
    const primary = await this.primary();
    await primary.query('SET GLOBAL offline_mode = ON');
    await primary.query('STOP GROUP_REPLICATION');
    return async () => {
      await primary.join(false);
      await primary.query('SET GLOBAL offline_mode = OFF');
    };
  }

  /** Stops the primary like a power cut. @returns a function that starts it and makes it join again */
  async killPrimary(): Promise<() => Promise<void>> {
    const primary = await this.primary();
    await primary.kill();
    return () => primary.restart();
  }

  /** Each member's content of a table. */
  async rowsOfEach(columns: string, table: string): Promise<Record<string, unknown>[][]> {
    const { pathname } = new URL(this.url);
    const sql = `SELECT ${columns} FROM ${pathname.slice(1)}.${table} ORDER BY id`;
    return Promise.all(this.members.map((member) => member.query(sql)));
  }

  async stop(): Promise<void> {
    await this.proxy.close();
    await Promise.all(this.members.map((member) => member.close()));
  }

  /** After a failover, there is no primary for some seconds. */
  private primary(): Promise<Member> {
    return eventually(async () => {
      const roles = await Promise.all(this.members.map((member) => member.isPrimary()));
      return this.members[roles.indexOf(true)];
    });
  }
}

class Member {
  private constructor(
    private readonly mysql: PreparedMysql,
    readonly port: number,
  ) {}

  static async start(index: number, port: number, seeds: string[]): Promise<Member> {
    const mysql = await prepareMysql(`chat-group-${index}`, (folder) => [
      `--server-id=${index + 1}`,
      `--log-bin=${folder}/log`,
      '--sync-binlog=0',
      // With less, a killed member lacks rows that its own log contains, and cannot join again.
      '--innodb-flush-log-at-trx-commit=2',
      '--gtid-mode=ON',
      '--enforce-gtid-consistency=ON',
      '--report-host=127.0.0.1',
      '--innodb-buffer-pool-size=64M',
      // As with several primaries.
      '--auto-increment-increment=7',
      `--auto-increment-offset=${index + 1}`,
      '--plugin-load-add=group_replication.so',
      `--group-replication-group-name=${NAME}`,
      `--group-replication-local-address=${seeds[index]}`,
      `--group-replication-group-seeds=${seeds.join(',')}`,
      '--group-replication-start-on-boot=OFF',
      '--group-replication-recovery-get-public-key=ON',
      // Without it, the election of a new primary takes twice as long.
      '--group-replication-member-expel-timeout=0',
    ]);
    await mysql.process.start(mysql.launchOn(port));
    return new Member(mysql, port);
  }

  /** Makes it a member, the first one of a new group or an additional one, and waits until it has all data. */
  async join(isFirst: boolean): Promise<void> {
    await this.query(`SET GLOBAL group_replication_bootstrap_group = ${isFirst ? 'ON' : 'OFF'}`);
    await this.query(`START GROUP_REPLICATION USER = 'member', PASSWORD = '${PASSWORD}'`);
    await this.query('SET GLOBAL group_replication_bootstrap_group = OFF');
    await eventually(() => this.is("member_state = 'ONLINE'"));
  }

  isPrimary(): Promise<boolean> {
    return this.is(PRIMARY).catch(() => false);
  }

  query(sql: string): Promise<Record<string, unknown>[]> {
    return askAsRoot(this.mysql.socketPath, sql);
  }

  async kill(): Promise<void> {
    await this.mysql.process.end('SIGKILL');
  }

  async restart(): Promise<void> {
    await this.mysql.process.start(this.mysql.launchOn(this.port));
    await this.join(false);
  }

  close(): Promise<void> {
    return this.mysql.process.close();
  }

  private async is(condition: string): Promise<boolean> {
    return (await this.query(`SELECT 1 ${OWN} AND ${condition}`)).length === 1;
  }
}

const CHECKER = 'checker';

/** A byte that marks a statement, and one for a result row with a word that occurs in no other packet. */
const QUESTION = `\x03SELECT CONCAT('writ', 'able') AS state ${OWN} AND ${PRIMARY}`;

/** HAProxy does not implement MySQL, but a login without a password has the same bytes each time. */
const IS_PRIMARY = [
  'option tcp-check',
  'tcp-check expect string caching_sha2_password',
  `tcp-check send-binary ${packet(1, loginOf(CHECKER))}`,
  'tcp-check expect binary 0700000200000002000000',
  `tcp-check send-binary ${packet(0, Buffer.from(QUESTION))}`,
  'tcp-check expect string writable',
];

/** The answer to a server's greeting, in protocol 4.1 with named plugins. */
function loginOf(user: string): Buffer {
  const capabilities = Buffer.alloc(4);
  capabilities.writeUInt32LE(0x0008_8201);
  const largestPacket = Buffer.from([0, 0, 0, 1]);
  const utf8mb4 = Buffer.from([45]);
  return Buffer.concat([
    ...[capabilities, largestPacket, utf8mb4, Buffer.alloc(23)],
    Buffer.from(`${user}\0\0caching_sha2_password\0`),
  ]);
}

function packet(sequence: number, body: Buffer): string {
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head.writeUInt8(sequence, 3);
  return Buffer.concat([head, body]).toString('hex');
}
