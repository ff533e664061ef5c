import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { Lifecycle } from '../../../common/lifecycle';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import { hasVisible } from '../../../common/text/visible';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { SideModels } from '../../../integrations/llm/side-requests';
import { type ReplyEnd, ReplyGuards, type Turn, type WrittenReply } from '../../generation/generation.api';
import { ChatConfig } from '../conversations/chat.config';
import { ChatEntity } from '../conversations/chat.entity';
import { chatEvent } from '../conversations/chat.events';
import { MessageEntity } from '../conversations/message.entity';
import type { NewMessage } from '../history/conversation-history';
import { withoutMarkdown, withoutQuotes } from './plain-text';
import { titleFromMessage } from './title-from-message';

/** Facts about the conversation that the end of a reply needs. */
export interface ChatReplyFacts {
  /** A title from the user's message; null: the conversation has a title, or the message has no visible text. */
  title: string | null;
  /** Whether the conversation has no title yet. */
  isUntitled: boolean;
  /** The end of the line that this reply replaces; null: none. */
  formerLineEndId: number | null;
  /** The message to answer; null if it must be read first. */
  question: Turn | null;
  /** That message if it is new and at the end of its conversation; null otherwise. */
  message: NewMessage | null;
}

/** How much of each message the title model gets, in UTF-16 code units. */
const LONGEST_EXCERPT = 2_000;
const TIMEOUT_SECONDS = 30;
/** The maximum output tokens. A title needs few, but reasoning counts too. */
const LONGEST_ANSWER = 1_000;

const INSTRUCTION =
  'Write a title for the conversation below: at most six words, in the language of the conversation, ' +
  'without quotation marks and without a full stop. Answer with the title only.';

/** The state of the title when a reply starts. */
type Titled = Pick<ChatReplyFacts, 'title' | 'isUntitled' | 'question'>;

/**
 * Sets the title of new conversations: from the user's message, or with a model if `TITLE_MODEL` is set. If that model
 * fails, returns nothing, or the process ends first, the title comes from the message.
 */
@Injectable()
export class ReplyTitler {
  private readonly logger = new Logger(ReplyTitler.name);
  private readonly underWay = new Set<Promise<void>>();
  private readonly controller = new AbortController();

  constructor(
    private readonly config: ChatConfig,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly models: SideModels,
    private readonly guards: ReplyGuards,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onDrain(() => Promise.resolve(this.controller.abort()));
  }

  /**
   * Sets the title of an untitled conversation from the user's message, in the transaction that stores the end of a
   * reply.
   *
   * @returns the title; null if the message yields none, a model generates it later, the user has set one, or guards
   *   have not seen the message: then the next reply sets it
   */
  async setFromMessage(
    manager: EntityManager,
    reply: WrittenReply,
    { title, isUntitled, question }: Titled,
    isFailed: boolean,
  ): Promise<string | null> {
    if (this.config.TITLE_MODEL !== null || !isUntitled || title === null || isFailed || this.isUnchecked(reply)) {
      return null;
    }
    // A title may be shown where the message is not, so it has masks.
    const content = question?.content ?? title;
    const masked = maskedText(reply, content);
    const own = masked === content ? title : (titleFromMessage(masked) ?? title);
    return (await this.store(manager, reply, own)) ? own : null;
  }

  /**
   * Starts generating a title with a model in the background. The user's budget pays its cost; its tokens do not count
   * for the quota.
   */
  afterReply(reply: WrittenReply, { isUntitled }: Titled, end: ReplyEnd): void {
    const { TITLE_MODEL } = this.config;
    const isWithout = !isUntitled || end.status === 'failed' || reply.words.length === 0;
    if (TITLE_MODEL === null || isWithout || this.isUnchecked(reply)) {
      return;
    }
    const title = this.makeTitle(reply, TITLE_MODEL)
      .catch((error: unknown) => {
        this.logger.warn({ chat_id: reply.chatId, error }, 'No title could be stored.');
      })
      .finally(() => this.underWay.delete(title));
    this.underWay.add(title);
  }

  /** Resolves when all running titles are stored. */
  async finished(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** It ended before its prompt was made, so the values to mask are unknown. */
  private isUnchecked({ masked }: WrittenReply): boolean {
    return masked === null && this.guards.exist;
  }

  private async makeTitle(reply: WrittenReply, model: string): Promise<void> {
    const message = await findRow(this.database.manager, MessageEntity, { id: reply.userMessageId });
    const content = maskedText(reply, message?.content ?? '');
    const answer = await this.ask(reply, model, content).catch((error: unknown) => {
      this.logger.warn(
        { chat_id: reply.chatId, error },
        'No model could make a title; the first words stand in for it.',
      );
      return '';
    });
    const title = titleFromAnswer(answer) ?? titleFromMessage(content);
    if (title !== null) {
      await this.database.write((manager) => this.store(manager, reply, title, { updatedAt: this.clock.now() }));
    }
  }

  private async ask(reply: WrittenReply, model: string, content: string): Promise<string> {
    const { chatId, messageId, task } = reply;
    const [asked, answered] = [content, maskedText(reply, reply.text)].map((words) =>
      beginningOf(words, LONGEST_EXCERPT),
    );
    const conversation = `User: ${asked}\n\nAssistant: ${answered}`;
    const { text: answer } = await this.models.complete(
      {
        provider: null,
        model,
        messages: [
          { role: 'system', content: INSTRUCTION },
          { role: 'user', content: conversation },
        ],
        parameters: { max_tokens: LONGEST_ANSWER },
        timeoutSeconds: TIMEOUT_SECONDS,
      },
      { kind: 'title', userId: task.userId, apiKeyId: task.apiKeyId, chatId, agentId: task.agent.id, messageId },
      this.controller.signal,
    );
    return this.guards.exist ? this.guards.checkWhole(reply, answer) : answer;
  }

  /** Sets the title of an untitled conversation and publishes the change; false if the user has set one. */
  private async store(
    manager: EntityManager,
    { chatId, messageId, task }: WrittenReply,
    title: string,
    changes: Pick<Partial<ChatEntity>, 'updatedAt'> = {},
  ): Promise<boolean> {
    const titled = await updateRows(
      manager,
      ChatEntity,
      { title, hasPlaceholderTitle: false, titleReplyId: messageId, ...changes },
      'id = ? AND has_placeholder_title = 1',
      [chatId],
    );
    if (titled !== 0) {
      const chat = { id: chatId, userId: task.userId, agentId: task.agent.id, title };
      await this.events.publish(manager, chatEvent('chat.updated', chat, { changed: ['title'] }));
    }
    return titled !== 0;
  }
}

/** A title needs only the start of an answer. */
const BEGINNING = 4_000;
/** The maximum depth of JSON to search, and of labels and quotation marks to remove. */
const DEEPEST = 4;

/** The label of a title, in the languages of the service and some others. */
const LABEL =
  /^(?:(?:(?:the|suggested|chat|conversation)\s+)*title|titel|titre|t[ií]tulo|titolo|标题|標題|題名|タイトル|제목|заголовок)\s*[:：]\s*/iu;

const MEMBER = /^(?:title|titel|titre|t[ií]tulo|name|标题|タイトル)$/iu;

/** A title in JSON that is truncated or follows other text, or in a Python dictionary. */
const MEMBER_IN_TEXT = /\{\s*["']title["']\s*:\s*(?:"((?:[^"\\]|\\.)*)|'((?:[^'\\]|\\.)*))/iu;

/**
 * A title from a model's answer: one line, without JSON, Markdown, a label or quotation marks around it. Null if no
 * visible text is left.
 */
export function titleFromAnswer(answer: string): string | null {
  const lines = withoutMarkdown(textIn(answer.slice(0, BEGINNING)))
    .split('\n')
    .map((line) => unwrapped(line.trim()))
    .filter(hasVisible);
  // Some models announce the title on a separate line.
  const line = lines.find((each) => !/[:：]$/.test(each)) ?? lines[0];
  return line === undefined ? null : titleFromMessage(line);
}

/** The title in JSON, possibly in a code fence; otherwise the answer itself. */
function textIn(answer: string): string {
  const fenced = /^\s*```[a-z]*\s*([^]*?)\s*(?:```\s*)?$/i.exec(answer)?.[1] ?? answer.trim();
  if (/^[{["]/.test(fenced)) {
    const found = titleIn(parsed(fenced));
    if (found !== null) {
      return found;
    }
  }
  const [, quoted, other] = MEMBER_IN_TEXT.exec(fenced) ?? [];
  return unescaped(quoted) ?? other ?? fenced;
}

function titleIn(value: unknown, depth = DEEPEST): string | null {
  if (typeof value === 'string') {
    return value;
  }
  if (typeof value !== 'object' || value === null || depth === 0) {
    return null;
  }
  const members = Object.entries(value);
  const named = members.filter(([name]) => MEMBER.test(name));
  for (const [, member] of [...named, ...members]) {
    const title = titleIn(member, depth - 1);
    if (title !== null) {
      return title;
    }
  }
  return null;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function unescaped(text: string | undefined): string | undefined {
  const value = text === undefined ? undefined : parsed(`"${text}"`);
  return typeof value === 'string' ? value : text;
}

/** Removes labels and quotation marks, which may be nested. */
function unwrapped(line: string): string {
  let title = line.replace(/<\/?title>/gi, '');
  for (let layer = 0; layer < DEEPEST; layer++) {
    const emphasis = title.replace(/^(?:\*{1,3}|`{1,3})(?=[^*`]*$)|(?<=^[^*`]*)(?:\*{1,3}|`{1,3})$/g, '');
    title = withoutQuotes(
      emphasis
        .replace(/(["”»“])[.。]$/, '$1')
        .replace(LABEL, '')
        .trim(),
    );
  }
  return title;
}

function maskedText({ masked }: WrittenReply, text: string): string {
  return masked === null ? text : masked(text);
}
