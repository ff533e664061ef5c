import { signal } from '@preact/signals';
import type { Citation } from 'chat-service-client';
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

/** The chat state of one user, from its first use to the end of the visit. */
export class Workspace {
  readonly events: ChatEvents;
  readonly drafts: Drafts;
  readonly directory: ChatDirectory;
  readonly quota: QuotaState;
  readonly budget: BudgetState;
  readonly openChats: OpenChats;
  private readonly elsewhere: Elsewhere;
  readonly agents: AgentList;
  readonly attachments = new AttachmentPlaces();
  /** The chat that is being edited in a dialog. */
  readonly changing = signal<{ chat: Chat; what: 'title' | 'tags' | 'shares' } | null>(null);
  readonly isHelpShown = signal(false);
  /** The citation whose passage is open next to the chat. */
  readonly passage = signal<Citation | null>(null);

  constructor(visit: Visit) {
    const { start } = visit;
    this.events = new ChatEvents(visit.userId);
    this.drafts = new Drafts(visit);
    this.directory = new ChatDirectory(this.events, start.take('chats'));
    this.quota = new QuotaState(this.events, start.take('quota'));
    this.budget = new BudgetState(this.events, start.take('budgets'));
    this.agents = new AgentList(start.take('agents'));
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

  /** A hidden page may have missed changes from other devices. */
  private readonly catchUp = (): void => {
    if (document.visibilityState !== 'visible') return;
    this.openChats.catchUp();
    this.directory.catchUp();
  };
}

/** The workspace of the current visit. */
export function workspace(): Workspace {
  return visit().part(Workspace);
}
