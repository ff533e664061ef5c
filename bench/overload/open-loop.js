const { connect } = require('node:net');
const { setTimeout: delay } = require('node:timers/promises');

const MAX_WAIT_MILLISECONDS = 20_000;

/**
 * Maximum number of concurrent connections, which is the number of clients. A client sends its next request after each
 * response.
 */
const MOST_CONNECTIONS = 1_000;

/** Sends requests at fixed times, however long the responses take, over persistent connections. */
class OpenLoop {
  idle = [];
  open = new Set();
  waiting = [];

  /**
   * @param {number} port port of the service
   * @param {(index: number) => string} requestOf returns the bytes of the next request, without a body
   */
  constructor(port, requestOf) {
    this.port = port;
    this.requestOf = requestOf;
  }

  /**
   * Sends the given number of requests per second.
   *
   * @returns {Promise<{ good: number, refused: number, lost: number, times: number[] }>} responses per second by
   * outcome, and the sorted times of successful ones in milliseconds
   */
  async run(rate, seconds) {
    const result = { good: 0, refused: 0, lost: 0, times: [] };
    const pending = [];
    const began = performance.now();
    for (let sent = 0; sent < rate * seconds;) {
      const due = Math.min(rate * seconds, ((performance.now() - began) / 1_000) * rate);
      for (; sent < due; sent++) {
        pending.push(this.send(sent, began + (sent / rate) * 1_000, result));
      }
      await delay(2);
    }
    await Promise.all(pending);
    const all = Math.max(seconds, (performance.now() - began) / 1_000);
    result.times.sort((one, other) => one - other);
    return { ...result, good: result.good / all, refused: result.refused / all };
  }

  send(index, dueAt, result) {
    return new Promise((resolve) => {
      this.begin({ index, dueAt, result, resolve });
    });
  }

  begin(request) {
    const { index, dueAt, result, resolve } = request;
    if (this.idle.length === 0 && this.open.size >= MOST_CONNECTIONS) {
      this.waiting.push(request);
      return;
    }
    const socket = this.idle.pop() ?? this.newSocket();
    const timer = setTimeout(() => socket.destroy(), MAX_WAIT_MILLISECONDS);
    socket.done = (status) => {
      clearTimeout(timer);
      socket.done = null;
      if (status === 200) {
        result.good++;
        result.times.push(performance.now() - dueAt);
      } else if (status === 503) {
        result.refused++;
      } else {
        result.lost++;
      }
      if (status !== null) {
        this.idle.push(socket);
      }
      resolve();
      const next = this.waiting.shift();
      if (next !== undefined) {
        this.begin(next);
      }
    };
    socket.write(this.requestOf(index));
  }

  newSocket() {
    const socket = connect(this.port, '127.0.0.1');
    this.open.add(socket);
    socket.setNoDelay(true);
    let head = '';
    let left = 0;
    let status = 0;
    socket.on('data', (bytes) => {
      let piece = bytes;
      if (left === 0) {
        head += piece.latin1Slice();
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) {
          return;
        }
        status = Number(head.slice(9, 12));
        left = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) - (head.length - end - 4);
        head = '';
        piece = null;
      } else {
        left -= piece.length;
      }
      if (left <= 0) {
        left = 0;
        socket.done?.(status);
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.open.delete(socket);
      this.idle = this.idle.filter((each) => each !== socket);
      socket.done?.(null);
    });
    return socket;
  }

  close() {
    this.open.forEach((socket) => socket.destroy());
  }
}

module.exports = { OpenLoop };
