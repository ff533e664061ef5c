import { api } from '../../../app/api';
import type { Agent } from './types';

/** A list of this age is recent enough. The service refuses agents that no longer exist. */
const FRESH_MILLISECONDS = 60_000;

/** The agents that the user can chat with. */
export class AgentList {
  private readAt: number;
  private list: Promise<Agent[]>;

  /** @param known agents from the bootstrap response */
  constructor(known?: Agent[]) {
    this.readAt = known ? Date.now() : 0;
    this.list = Promise.resolve(known ?? []);
  }

  /** Marks the list as outdated after a refusal, so that the next read reloads it. */
  forget(): void {
    this.readAt = 0;
  }

  read(isNewest = false): Promise<Agent[]> {
    if (isNewest || Date.now() - this.readAt > FRESH_MILLISECONDS) {
      this.readAt = Date.now();
      this.list = api.agents.listActive();
      // A failed request is repeated on the next read.
      this.list.catch(() => (this.readAt = 0));
    }
    return this.list;
  }
}
