import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A POST request whose body never ends. */
export class UnfinishedBody {
  /** The service's answer so far. */
  answer = '';

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (data: string) => (this.answer += data));
    // The service may close the connection while data is in transit.
    socket.on('error', () => undefined);
  }

  /**
   * Connects, and sends the head.
   *
   * @param length in the head; null: the body has no declared length
   */
  static async begin(
    url: string,
    token: string | null,
    length: number | null,
    contentType = 'application/json',
  ): Promise<UnfinishedBody> {
    const { hostname, port, pathname } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = [
      `POST ${pathname} HTTP/1.1`,
      'Host: x',
      `Content-Type: ${contentType}`,
      ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
      length === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    ];
    const body = new UnfinishedBody(socket);
    await body.write(`${head.join('\r\n')}\r\n\r\n`);
    return body;
  }

  /** Sends a part of the body; resolves when the service has read it, or has closed the connection. */
  write(part: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.socket.once('close', resolve);
      this.socket.write(part, () => {
        this.socket.off('close', resolve);
        resolve();
      });
    });
  }

  /** The same for a body without a declared length. */
  async writeChunk(part: string): Promise<void> {
    await this.write(`${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`);
  }

  get isClosed(): boolean {
    return this.socket.closed;
  }

  /** Resolves when the service has closed the connection. */
  async closed(): Promise<void> {
    if (!this.socket.closed) {
      await once(this.socket, 'close');
    }
  }

  /** Disconnects. */
  end(): void {
    this.socket.destroy();
  }
}
