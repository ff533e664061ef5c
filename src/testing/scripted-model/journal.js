'use strict';

/** Requests kept for inspection; load tests send far more than any test reads. */
const LIMIT = 20_000;

/** Received requests, and the tests that wait for them. */
class Journal {
  records = [];
  waiters = new Set();

  add(request, body, key) {
    const { method, url, headers } = request;
    const clientPort = request.socket.remotePort;
    const record = { method, url, headers, body, key, clientPort, state: 'open', startedAt: Date.now(), endedAt: null };
    this.records.push(record);
    if (this.records.length > LIMIT) {
      this.records.splice(0, LIMIT / 2);
    }
    this.notify();
    return record;
  }

  /** @param state `completed`, or `aborted` if the connection closed before the end of the answer */
  close(record, state) {
    record.state = state;
    record.endedAt = Date.now();
    this.notify();
  }

  find(key) {
    return key === null ? this.records : this.records.filter((record) => record.key.includes(key));
  }

  /** Resolves with the matching requests once there are `count`; rejects after `timeout` milliseconds. */
  wait(event, { key, count, timeout }) {
    const matches = () => this.find(key).filter(({ state }) => event === 'received' || state === event);
    return new Promise((resolve, reject) => {
      const waiter = () => {
        const found = matches();
        if (found.length >= count) {
          this.waiters.delete(waiter);
          clearTimeout(timer);
          resolve(found);
        }
      };
      const timer = setTimeout(() => {
        this.waiters.delete(waiter);
        reject(new Error(`${matches().length} of ${count} requests were ${event} after ${timeout} ms.`));
      }, timeout);
      this.waiters.add(waiter);
      waiter();
    });
  }

  reset() {
    this.records = [];
  }

  notify() {
    for (const waiter of this.waiters) {
      waiter();
    }
  }
}

module.exports = { Journal };
