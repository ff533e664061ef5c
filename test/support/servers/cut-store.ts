import { startMariadbServer } from './mariadb-server';
import { NetworkNamespace } from './network-namespace';
import type { SqlServer } from './sql-server';
import { type Swallowed, TcpRelay } from './tcp-relay';

/**
 * A MariaDB that instances reach over two routes, one of which can be cut: a cable into a network namespace, so that
 * the kernel drops and resends packets; without the required privileges, a relay that holds them back.
 */
export class CutStore {
  private constructor(
    private readonly server: SqlServer,
    private readonly way: NetworkNamespace | TcpRelay,
    /** URLs of the same database: over the route that can be cut, and over the other one. */
    readonly urls: readonly [string, string],
  ) {}

  static async start(): Promise<CutStore> {
    if (!process.env.TEST_RELAY && (await NetworkNamespace.isPossible())) {
      const network = new NetworkNamespace();
      const server = await startMariadbServer({ network });
      return new CutStore(server, network, [server.url.replace(network.host, network.cutHost), server.url]);
    }
    const server = await startMariadbServer();
    const relay = await TcpRelay.start(server.port);
    return new CutStore(server, relay, [server.url.replace(`:${server.port}/`, `:${relay.port}/`), server.url]);
  }

  /** The component that drops the packets, for the output of a test. */
  get how(): string {
    return this.way instanceof TcpRelay ? 'a relay' : 'a network namespace';
  }

  async swallow(swallowed: Swallowed): Promise<void> {
    await this.way.swallow(swallowed);
  }

  async heal(): Promise<void> {
    await this.way.heal();
  }

  async stop(): Promise<void> {
    if (this.way instanceof TcpRelay) {
      await this.way.stop();
    }
    await this.server.stop();
  }
}
