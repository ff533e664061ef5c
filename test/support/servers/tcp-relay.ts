import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Passes TCP connections on to a port of this machine, and can let them die as a network does. */
export class TcpRelay {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(port: number): Promise<TcpRelay> {
    const server = createServer();
    const relay = new TcpRelay(server);
    server.on('connection', (near) => {
      const far = connect(port, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        relay.sockets.add(from.on('close', () => relay.sockets.delete(from)));
        from.on('error', () => to.destroy());
        from.pipe(to);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** From now on nothing comes through the present connections, and nobody is told; new ones work. */
  silence(): void {
    for (const socket of this.sockets) {
      socket.unpipe().pause();
    }
  }

  async stop(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => this.server.close(resolve));
  }
}
