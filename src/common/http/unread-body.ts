import type { Request, Response } from 'express';
import { SMALL_BODY } from './body-rules.decorator';
import { LINGER } from './linger';

/**
 * Called before a refusal is sent: ends the connection with it where a large body is still to come, so that nobody has
 * to read it. Node reads a small one, for the sake of the connection.
 */
export function leaveUnread(request: Request, response: Response): void {
  const length = request.headers['content-length'];
  const isSmall = request.headers['transfer-encoding'] === undefined && Number(length ?? 0) <= SMALL_BODY;
  if (request.complete || isSmall) {
    return;
  }
  response.setHeader('Connection', 'close');
  const { socket } = request;
  // Node would close at once, and the system then takes the answer away from a client that is still sending.
  socket.destroySoon = () => {
    request.pause();
    socket.end();
    setTimeout(() => socket.destroy(), LINGER).unref();
  };
}
