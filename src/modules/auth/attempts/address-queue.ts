import { Injectable } from '@nestjs/common';
import { KeyedQueue } from '../../../common/background/keyed-queue';

/** Most attempts of one counter that may wait here, far more than a person would type. */
const MOST_WAITING = 100;

/**
 * Runs attempts with the same counter one after another within this process. Each attempt is counted before its result
 * is known, so many correct concurrent attempts would otherwise look like many wrong ones. Between instances, only the
 * database counts.
 */
@Injectable()
export class AddressQueue extends KeyedQueue<string> {
  constructor() {
    super(MOST_WAITING);
  }
}
