import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import { gauge } from '../../metrics/metrics';

/** Pieces up to this size are not looked at: they are many, and together they take little. */
const SMALL = 65_536;

/** Bytes that wait for one user, and for all users, to read them. */
const MOST_OF_USER = 64 * 1_048_576;
const MOST_OF_ALL = 192 * 1_048_576;

/**
 * Bounds what answers take that nobody reads. An answer stays in memory until its client has taken it, so a client who asks for
 * much and reads nothing could take all of it. Beyond the limits the largest unread answer is cut: of the user, or of the user
 * for whom most waits. The answer that comes last is spared, unless it is the only one.
 */
export class UnreadAnswers {
  /** Users by their answers with large pieces, the oldest first. */
  private readonly open = new Map<ServerResponse, number>();

  constructor() {
    gauge('unread_answers_bytes', 'Bytes of large answers that clients have not read yet', () => this.waiting());
  }

  /** A piece of an answer was handed to its connection. Those for callers without an account are files that all share. */
  wrote(response: ServerResponse, piece: unknown): void {
    const userId = (response.req as Request).principal?.userId;
    if (userId === undefined || lengthOf(piece) <= SMALL) {
      return;
    }
    if (!this.open.has(response)) {
      this.open.set(response, userId);
      response.once('close', () => this.open.delete(response));
    }
    while (this.waiting(userId) > MOST_OF_USER && this.cutLargest(userId, response)) {
      // Until there is room.
    }
    while (this.waiting() > MOST_OF_ALL && this.cutLargest(this.greediest(), response)) {
      // The same for all.
    }
  }

  /** @returns whether there was one beside the newest */
  private cutLargest(userId: number, newest: ServerResponse): boolean {
    const [largest] = [...this.open]
      .filter(([answer, each]) => each === userId && answer !== newest && answer.writableLength > 0)
      .sort(([one], [other]) => other.writableLength - one.writableLength);
    if (largest === undefined) {
      return false;
    }
    this.open.delete(largest[0]);
    largest[0].destroy();
    return true;
  }

  private greediest(): number {
    const users = [...new Set(this.open.values())];
    return users.reduce((most, each) => (this.waiting(each) > this.waiting(most) ? each : most));
  }

  /** Bytes for one user; without one, for all. */
  private waiting(of?: number): number {
    let bytes = 0;
    for (const [answer, userId] of this.open) {
      bytes += of === undefined || of === userId ? answer.writableLength : 0;
    }
    return bytes;
  }
}

function lengthOf(piece: unknown): number {
  return typeof piece === 'string' || piece instanceof Uint8Array ? piece.length : 0;
}
