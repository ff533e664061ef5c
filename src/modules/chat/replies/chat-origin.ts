import type { EntityManager } from 'typeorm';
import type {
  Ended,
  EndedRow,
  PromptRoom,
  Released,
  ReplyEnd,
  ReplyOrigin,
  ReplyPlace,
  Turn,
  WrittenReply,
} from '../../generation/generation.api';
import type { LineEnd } from '../conversations/conversation-line';
import { type ChatReplies, tokensOf } from './chat-replies';
import type { ChatReplyFacts } from './chat-reply-facts';

/** The conversation of one reply. */
export class ChatOrigin implements ReplyOrigin {
  readonly keepsSteps = true;
  readonly choosesTurns = true;
  readonly promptTokens = null;
  /** The line that came back with the end. */
  private line: LineEnd | null = null;
  /** Tokens of the reply as it is stored. */
  private tokenCount = 0;

  constructor(
    readonly place: ReplyPlace,
    private readonly replies: ChatReplies,
    private readonly facts: ChatReplyFacts,
  ) {}

  turns(reply: WrittenReply, roomFor: (question: string) => PromptRoom): Promise<readonly Turn[]> {
    return this.replies.turns(reply, this.facts, roomFor);
  }

  async storeEnd(manager: EntityManager, ended: Ended, row: EndedRow): Promise<boolean> {
    this.tokenCount = tokensOf(ended.reply, row);
    if (!(await this.replies.store(manager, ended.reply, { ...row, tokenCount: this.tokenCount }))) {
      return false;
    }
    this.line = await this.replies.bringBackFormerLine(manager, ended, this.facts);
    return true;
  }

  async release(manager: EntityManager, ended: Ended, row: EndedRow): Promise<Released> {
    const message = { ...row, tokenCount: this.tokenCount };
    const title = await this.replies.release(manager, ended, message, this.line, this.facts);
    return { title, messageCount: this.line?.messageCount ?? null };
  }

  storeLeast(manager: EntityManager, reply: WrittenReply, row: Partial<EndedRow>, at: Date): Promise<boolean> {
    return this.replies.storeLeast(manager, reply, row, at);
  }

  afterEnd(reply: WrittenReply, end: ReplyEnd): void {
    this.replies.afterEnd(reply, end, this.facts);
  }
}
