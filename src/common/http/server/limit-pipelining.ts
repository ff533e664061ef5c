import type { Server, ServerResponse } from 'node:http';
import { HPE_PAUSED, type HttpRequest, type HttpSocket, type ParserFault, PAUSED_CODE } from './http-socket';

/** Most requests of a connection that may wait for their responses. */
const MOST_UNANSWERED = 8;

/** Not `Buffer.alloc(0)`, whose address is null: the parser would treat the connection as ended. */
const NOTHING = Buffer.from(' ').subarray(1);

/** @returns whether the fault is only that a request has to wait, so that nothing may be refused */
export type PauseHandler = (fault: ParserFault, socket: HttpSocket) => boolean;

/**
 * Bounds the concurrent work for one connection. Node starts all requests of a packet in the same turn of the event
 * loop: thousands of small ones, while all other clients wait. With this limit, a request that arrives before earlier
 * ones are answered starts in a later turn, and only if fewer than eight are unanswered. The data after it stays
 * unread.
 *
 * A connection that waits for its responses costs nothing: its bytes go from the system to the parser as before.
 *
 * @returns a handler that a listener of `clientError` must call first
 */
export function limitPipelining(server: Server): PauseHandler {
  const connections = new WeakMap<HttpSocket, PipelinedConnection>();
  server.on('connection', (socket: HttpSocket) => connections.set(socket, new PipelinedConnection(socket)));
  server.prependListener('request', (request, response) => connections.get(request.socket)?.count(response));
  return (fault, socket) => connections.get(socket)?.waits(fault) ?? false;
}

/** @borrowed node-socket */
class PipelinedConnection {
  private unanswered = 0;
  /** Starts the waiting request: its head is read, and the parser has stopped after it. */
  private next: (() => void) | null = null;
  private isBeginning = false;
  /** Whether the parser must still find out whether the started request has a body. */
  private isBehindHead = false;
  private isListening = false;

  constructor(private readonly socket: HttpSocket) {
    const { parser } = socket;
    // A connection below one with TLS has no parser.
    if (parser) {
      const begin = parser.onIncoming;
      parser.onIncoming = (request, keepsAlive) =>
        this.unanswered === 0 ? begin(request, keepsAlive) : this.defer(request, () => begin(request, keepsAlive));
    }
  }

  count(response: ServerResponse): void {
    this.unanswered++;
    response.once('close', this.onAnswered);
  }

  waits({ code, rawPacket, bytesParsed }: ParserFault): boolean {
    if (this.next === null) {
      return false;
    }
    if (code === PAUSED_CODE && rawPacket) {
      this.hold(rawPacket.subarray(bytesParsed));
      return true;
    }
    // The timeout is due to the service, which made the request wait.
    return code === 'ERR_HTTP_REQUEST_TIMEOUT';
  }

  private defer(request: HttpRequest, begin: () => number): number {
    if (!request.upgrade) {
      this.next = begin;
      return HPE_PAUSED;
    }
    // llhttp stops after the head by itself and reports no pause, so this request cannot wait. The requests after it
    // can.
    const result = begin();
    if (this.unanswered >= MOST_UNANSWERED) {
      this.next = () => undefined;
      this.hold(NOTHING);
    }
    return result;
  }

  private hold(rest: Buffer): void {
    const { socket } = this;
    if (!this.isListening) {
      this.isListening = true;
      socket.on('resume', this.onResume);
    }
    socket.pause();
    if (rest.length > 0) {
      socket.unshift(rest);
    }
    this.beginLater();
  }

  private readonly onAnswered = (): void => {
    this.unanswered--;
    if (this.next !== null) {
      this.beginLater();
    }
  };

  private beginLater(): void {
    if (!this.isBeginning && this.unanswered < MOST_UNANSWERED) {
      this.isBeginning = true;
      setImmediate(this.beginNext);
    }
  }

  private readonly beginNext = (): void => {
    const { next, socket } = this;
    this.next = null;
    this.isBeginning = false;
    // After a response that closes the connection, no request may start (RFC 9112 §9.6).
    if (socket.parser && socket.writable) {
      socket.parser.resume();
      socket.resume();
      this.isBehindHead = true;
      next?.();
      this.leaveHead();
    }
  };

  /** Node also resumes the socket, for example after a body. This event may come when the socket is paused again. */
  private readonly onResume = (): void => {
    if (this.next === null) {
      this.leaveHead();
    } else {
      this.socket.pause();
      // Node stops reading at this event, which `pause` does not emit for a paused socket.
      this.socket.emit('pause');
    }
  };

  /** Not while Node has paused the socket because the client reads no responses; the parser must not be called then. */
  private leaveHead(): void {
    if (this.isBehindHead && !this.socket.isPaused()) {
      this.isBehindHead = false;
      this.socket.emit('data', NOTHING);
    }
  }
}
