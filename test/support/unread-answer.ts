import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/** A GET request whose answer its client does not read. */
export class UnreadAnswer {
  private constructor(private readonly socket: Socket) {
    socket.on('error', () => undefined);
  }

  static async ask(url: string, token: string): Promise<UnreadAnswer> {
    const { hostname, port, pathname, search } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const answer = new UnreadAnswer(socket.pause());
    socket.write(
      `GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    );
    return answer;
  }

  /** Resolves when it has started, or the connection is closed. */
  async begins(): Promise<void> {
    if (!this.socket.closed && this.socket.readableLength === 0) {
      await Promise.race([once(this.socket, 'readable'), once(this.socket, 'close')]);
    }
  }

  /** Reads the rest. @returns whether it is complete: as many bytes as its head declares */
  async isWhole(): Promise<boolean> {
    // Only counted, because an answer has megabytes.
    let head = '';
    let bytes = 0;
    this.socket
      .on('data', (part: Buffer) => {
        bytes += part.length;
        if (!head.includes(END_OF_HEAD)) head += part.toString('latin1');
      })
      .resume();
    if (!this.socket.closed) {
      await once(this.socket, 'close');
    }
    const body = bytes - (head.indexOf(END_OF_HEAD) + END_OF_HEAD.length);
    return head.includes(END_OF_HEAD) && body > 0 && Number(/content-length: (\d+)/i.exec(head)?.[1]) === body;
  }

  /** Disconnects. */
  end(): void {
    this.socket.destroy();
  }
}
