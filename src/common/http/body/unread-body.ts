import type { IncomingMessage, ServerResponse } from 'node:http';
import { LINGER } from '../server/linger';
import { SMALL_BODY } from './body-rules.decorator';

/**
 * Call it before you send a refusal. When a large body has not arrived yet, it ends the connection after the refusal,
 * and nobody has to read the body. Node reads a small body, so that the connection can be used again.
 */
export function leaveUnread(request: IncomingMessage, response: ServerResponse): void {
  const length = request.headers['content-length'];
  const isSmall = request.headers['transfer-encoding'] === undefined && Number(length ?? 0) <= SMALL_BODY;
  if (request.complete || isSmall) {
    return;
  }
  response.setHeader('Connection', 'close');
  const { socket } = request;
  // Node would close the connection immediately. A client that is still sending would then lose the answer.
  socket.destroySoon = () => {
    request.pause();
    socket.end();
    setTimeout(() => socket.destroy(), LINGER).unref();
  };
}
