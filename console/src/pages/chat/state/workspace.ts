import { signal } from '@preact/signals';
import { Drafts } from '../../../drafts';
import { type Visit, visit } from '../../../visit';
import type { Chat } from '../types';
import { AgentList } from './agent-list';
import { ChatDirectory } from './chat-directory';
import { ChatNews } from './chat-news';
import { Conversations } from './conversations';
import { QuotaState } from './quota';

/** Everything that the chat knows of one person, from the first time that they open it to the end of their visit. */
export class Workspace {
  readonly news: ChatNews;
  readonly drafts: Drafts;
  readonly directory: ChatDirectory;
  readonly quota: QuotaState;
  readonly conversations: Conversations;
  readonly agents = new AgentList();
  /** What the person is changing of a conversation in a dialog. */
  readonly changing = signal<{ chat: Chat; what: 'title' | 'tags' } | null>(null);
  readonly isHelpShown = signal(false);

  constructor(visit: Visit) {
    this.news = new ChatNews(visit.userId);
    this.drafts = new Drafts(visit);
    this.directory = new ChatDirectory(this.news);
    this.quota = new QuotaState(this.news);
    this.conversations = new Conversations(this, this.news);
    addEventListener('visibilitychange', this.catchUp);
  }

  dispose(): void {
    removeEventListener('visibilitychange', this.catchUp);
    this.conversations.dispose();
    this.directory.dispose();
    this.news.dispose();
  }

  /** A page that was out of view may have missed what another device did. */
  private readonly catchUp = (): void => {
    if (document.visibilityState !== 'visible') return;
    this.conversations.catchUp();
    this.directory.catchUp();
  };
}

/** Of the person who is there now. */
export function workspace(): Workspace {
  return visit().part(Workspace);
}
