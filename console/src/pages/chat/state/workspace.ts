import { signal } from '@preact/signals';
import { Drafts } from '../../../app/drafts';
import { Happenings } from '../../../app/feed/happenings';
import { PendingWrites } from '../../../app/pending-writes';
import { type Visit, visit } from '../../../app/visit';
import { AgentList } from './agent-list';
import { AttachmentPlaces } from './attachments/attachments';
import { BudgetState } from './budget';
import { ChatEvents } from './chat-events';
import { Elsewhere } from './elsewhere';
import { ChatDirectory } from './list/chat-directory';
import { OpenChats } from './open-chat/open-chats';
import { QuotaState } from './quota';
import type { Chat } from './types';

/** Everything that the chat knows of one person, from the first time that they open it to the end of their visit. */
export class Workspace {
  readonly events: ChatEvents;
  readonly drafts: Drafts;
  readonly directory: ChatDirectory;
  readonly quota: QuotaState;
  readonly budget: BudgetState;
  readonly openChats: OpenChats;
  private readonly elsewhere: Elsewhere;
  readonly agents = new AgentList();
  readonly attachments = new AttachmentPlaces();
  /** What the person is changing of a chat in a dialog. */
  readonly changing = signal<{ chat: Chat; what: 'title' | 'tags' | 'shares' } | null>(null);
  readonly isHelpShown = signal(false);

  constructor(visit: Visit) {
    this.events = new ChatEvents(visit.userId);
    this.drafts = new Drafts(visit);
    this.directory = new ChatDirectory(this.events);
    this.quota = new QuotaState(this.events);
    this.budget = new BudgetState(this.events);
    this.openChats = new OpenChats(this, this.events);
    this.elsewhere = new Elsewhere(
      visit.part(Happenings),
      visit.userId,
      this.events,
      this.directory,
      this.openChats,
      visit.part(PendingWrites),
    );
    addEventListener('visibilitychange', this.catchUp);
  }

  dispose(): void {
    removeEventListener('visibilitychange', this.catchUp);
    this.elsewhere.dispose();
    this.openChats.dispose();
    this.directory.dispose();
    this.events.dispose();
  }

  /** A page that was out of view may have missed what another device did. */
  private readonly catchUp = (): void => {
    if (document.visibilityState !== 'visible') return;
    this.openChats.catchUp();
    this.directory.catchUp();
  };
}

/** Of the person who is there now. */
export function workspace(): Workspace {
  return visit().part(Workspace);
}
