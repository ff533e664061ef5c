import { Injectable } from '@nestjs/common';
import { KeyedQueue } from '../../../common/background/keyed-queue';

/** Attempts under one counter that may wait here. Nobody types as many. */
const MOST_WAITING = 100;

/**
 * Runs attempts that are counted together one after another within this process. Each attempt is counted before its result is
 * known. Many right ones at once would otherwise look like many wrong ones. Between instances only the database counts.
 */
@Injectable()
export class AddressQueue extends KeyedQueue<string> {
  constructor() {
    super(MOST_WAITING);
  }
}
