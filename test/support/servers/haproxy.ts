import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GuardedProcess, type Launch } from './guarded-process';
import { requireProgram } from './required-program';

/** HAProxy in front of servers on this machine: it closes the connections to one that is down. */
export class Haproxy {
  private constructor(
    private readonly process: GuardedProcess,
    private readonly launch: Launch,
    /** Its port on 127.0.0.1. */
    readonly port: number,
  ) {}

  /**
   * Connections alternate between the servers that its checks find up.
   *
   * @param servers the port of each, and further options on its line
   * @param checks lines that configure the checks; by default whether they accept connections
   * @param down servers that its checks must have found down before it is ready: initially it assumes that all are up
   */
  static async before(
    servers: readonly string[],
    checks: readonly string[] = [],
    down: readonly number[] = [],
  ): Promise<Haproxy> {
    const process = await GuardedProcess.open('chat-haproxy');
    const launchOn = (candidate: number): Launch => {
      const file = join(process.folder, 'haproxy.cfg');
      writeFileSync(
        file,
        [
          'defaults',
          '  mode tcp',
          '  timeout connect 2s',
          '  timeout client 10m',
          '  timeout server 10m',
          'listen database',
          `  bind 127.0.0.1:${candidate}`,
          '  balance roundrobin',
          '  option redispatch',
          ...checks.map((line) => `  ${line}`),
          ...servers.map(
            (server, index) =>
              `  server node${index} 127.0.0.1:${server} check inter 300 fall 2 rise 2 on-marked-down shutdown-sessions`,
          ),
          '',
        ].join('\n'),
      );
      return {
        command: requireProgram('haproxy', 'apt-get install -y haproxy'),
        arguments: ['-f', file, '-db', '-V'],
        ready: ['Available polling systems', ...down.map((index) => `Server database/node${index} is DOWN`)]
          .map((line) => `(?=[^]*${line})`)
          .join(''),
      };
    };
    const port = await process.startOnFreePort(launchOn);
    return new Haproxy(process, launchOn(port), port);
  }

  /** Stops it immediately, with all connections, and starts it again. */
  async restart(): Promise<void> {
    await this.process.end('SIGKILL');
    await this.process.start(this.launch);
  }

  close(): Promise<void> {
    return this.process.close();
  }
}
