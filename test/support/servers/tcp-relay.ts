import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The dropped packets: those from clients, from the server, or all. */
export type Swallowed = 'requests' | 'answers' | 'both';

/** Forwards TCP connections to a port on this machine, and can let them die like a network does. */
export class TcpRelay {
  private readonly sockets = new Set<Socket>();
  /** Pairs of sockets, while both are open. */
  private readonly ways: { from: Socket; to: Socket; isRequest: boolean }[] = [];
  private swallowed: Swallowed | null = null;

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
        relay.open({ from, to, isRequest: from === near });
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** From now on the current connections silently drop everything; new ones work. */
  silence(): void {
    for (const socket of this.sockets) {
      socket.unpipe().pause();
    }
  }

  /** From now on one or both directions silently drop everything, including new connections; `heal()` reverts it. */
  swallow(swallowed: Swallowed): void {
    this.swallowed = swallowed;
    for (const way of this.ways.filter((each) => this.isSwallowed(each))) {
      way.from.unpipe().pause();
    }
  }

  /** Held-back data arrives now, like TCP retransmissions. */
  heal(): void {
    this.swallowed = null;
    for (const { from, to } of this.ways) {
      if (from.destroyed) to.end();
      else from.unpipe().pipe(to);
    }
  }

  async stop(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => this.server.close(resolve));
  }

  private open(way: (typeof this.ways)[number]): void {
    this.ways.push(way);
    way.to.on('close', () => this.ways.splice(this.ways.indexOf(way), 1));
    if (!this.isSwallowed(way)) {
      way.from.pipe(way.to);
    }
  }

  private isSwallowed({ isRequest }: { isRequest: boolean }): boolean {
    return this.swallowed === 'both' || this.swallowed === (isRequest ? 'requests' : 'answers');
  }
}
