import { api } from '../../../app/api';
import type { Agent } from './types';

/** So long a list is good enough to choose from; the service refuses whom it has not any more. */
const FRESH_MILLISECONDS = 60_000;

/** Whom the person can ask. */
export class AgentList {
  private readAt = 0;
  private list: Promise<Agent[]> = Promise.resolve([]);

  read(isNewest = false): Promise<Agent[]> {
    if (isNewest || Date.now() - this.readAt > FRESH_MILLISECONDS) {
      this.readAt = Date.now();
      this.list = api.agents.listActive();
      // What could not be had is asked for again.
      this.list.catch(() => (this.readAt = 0));
    }
    return this.list;
  }
}
