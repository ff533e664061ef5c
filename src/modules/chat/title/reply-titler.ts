import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { Lifecycle } from '../../../common/lifecycle';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { estimatePrompt } from '../../../integrations/llm/counting/prompt-estimate';
import { LanguageModels } from '../../../integrations/llm/language-models';
import type { CostBound } from '../../../integrations/llm/port/completion';
import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import {
  type PaidOrder,
  type PaidOutcome,
  PaidRequests,
  type ReplyEnd,
  type WrittenReply,
} from '../../generation/generation.api';
import { ChatConfig } from '../conversations/chat.config';
import { ChatEntity } from '../conversations/chat.entity';
import { chatEvent } from '../conversations/chat.events';
import { MessageEntity } from '../conversations/message.entity';
import type { ChatReplyFacts } from '../replies/chat-reply-facts';
import { titleFromMessage } from './title-from-message';

/** How much of each message the model gets, in UTF-16 units. */
const LONGEST_EXCERPT = 2_000;
const TIMEOUT_SECONDS = 30;
/** Tokens of the answer. A title takes few, but reasoning counts too. */
const LONGEST_ANSWER = 1_000;

const INSTRUCTION =
  'Write a title for the conversation below: at most six words, in the language of the conversation, ' +
  'without quotation marks and without a full stop. Answer with the title only.';

/** What is known of the title when a reply begins. */
type Titled = Pick<ChatReplyFacts, 'title' | 'isUntitled'>;

/** What a model said. */
interface TitleAnswer {
  answer: string;
  /** For the transaction that stores the title; null: nothing was paid. */
  settle: ((manager: EntityManager) => Promise<void>) | null;
}

/**
 * Gives new chats their titles: from the user's first words, or by a model when `TITLE_MODEL` names one. The words are used
 * too when that model fails, says nothing, or the process ends before it answers.
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
    private readonly models: LanguageModels,
    private readonly paid: PaidRequests,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onDrain(() => Promise.resolve(this.controller.abort()));
  }

  /**
   * For the transaction that stores the end of a reply: gives an untitled chat its title from the user's words.
   *
   * @returns the title; null when there is none to give, when a model makes it afterwards, or when the user was faster
   */
  async giveFromWords(
    manager: EntityManager,
    reply: WrittenReply,
    { title, isUntitled }: Titled,
    isFailed: boolean,
  ): Promise<string | null> {
    if (this.config.TITLE_MODEL !== null || !isUntitled || title === null || isFailed) {
      return null;
    }
    return (await this.store(manager, reply, title)) ? title : null;
  }

  /** Starts a model on the title. Nobody waits for it. It counts in the user's cost and budgets, and in nothing else. */
  afterReply(reply: WrittenReply, { isUntitled }: Titled, end: ReplyEnd): void {
    const { TITLE_MODEL } = this.config;
    if (TITLE_MODEL === null || !isUntitled || end.status === 'failed' || reply.text === '') {
      return;
    }
    const title = this.makeTitle(reply, TITLE_MODEL)
      .catch((error: unknown) => {
        this.logger.warn({ chat_id: reply.chatId, error }, 'No title could be stored.');
      })
      .finally(() => this.underWay.delete(title));
    this.underWay.add(title);
  }

  /** Resolves when all started titles are stored. */
  async finished(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private async makeTitle(reply: WrittenReply, model: string): Promise<void> {
    const message = await findRow(this.database.manager, MessageEntity, { id: reply.userMessageId });
    const content = message?.content ?? '';
    const { answer, settle } = await this.ask(model, content, reply);
    // The model's answer is text from outside: the same rules apply to it as to the user's words.
    const title = titleFromMessage(answer) ?? titleFromMessage(content);
    if (title !== null || settle !== null) {
      await this.database.write(async (manager) => {
        await settle?.(manager);
        if (title !== null) {
          await this.store(manager, reply, title, { updatedAt: this.clock.now() });
        }
      });
    }
  }

  /** What a model answers; nothing when it fails, or when no budget admits it. */
  private async ask(model: string, content: string, reply: WrittenReply): Promise<TitleAnswer> {
    const [asked, answered] = [content, reply.text].map((text) => beginningOf(text, LONGEST_EXCERPT));
    const messages: ModelMessage[] = [
      { role: 'system', content: INSTRUCTION },
      { role: 'user', content: `User: ${asked}\n\nAssistant: ${answered}` },
    ];
    const outcome: PaidOutcome = { asked: null, usage: null, isFailed: false };
    let settle: TitleAnswer['settle'] = null;
    try {
      const paid = await this.paid.begin(orderOf(model, messages, reply));
      const { settle: end } = paid;
      settle = end && ((manager) => end(manager, outcome));
      return { answer: await this.generate(model, messages, paid.bound, outcome), settle };
    } catch (error) {
      outcome.isFailed = !this.controller.signal.aborted;
      this.logger.warn(
        { chat_id: reply.chatId, error },
        'No model could make a title; the first words stand in for it.',
      );
      return { answer: '', settle };
    }
  }

  private async generate(
    model: string,
    messages: ModelMessage[],
    bound: CostBound | null,
    outcome: PaidOutcome,
  ): Promise<string> {
    let answer = '';
    const result = await this.models.generate(
      {
        provider: null,
        model,
        messages,
        parameters: { max_tokens: LONGEST_ANSWER },
        timeoutSeconds: TIMEOUT_SECONDS,
        ...(bound && { bound }),
      },
      { onText: (text) => void (answer += text), onAsked: (asked) => void (outcome.asked = asked) },
      this.controller.signal,
    );
    outcome.usage = result.usage;
    // Some servers send the reasoning as part of the answer, and mark its end only.
    const title = answer.split('</think>').at(-1) ?? '';
    return title.replace(/["“”„«»]/g, '');
  }

  /** Stores the title of a chat that has none, and publishes the change; false when the user was faster. */
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

function orderOf(model: string, messages: ModelMessage[], { messageId, task }: WrittenReply): PaidOrder {
  const { userId, apiKeyId, agent } = task;
  const prompt = estimatePrompt(messages);
  return {
    messageId,
    name: 'title',
    payer: { userId, apiKeyId, agentId: agent.id },
    request: { models: { provider: null, model }, prompt, images: 0, output: LONGEST_ANSWER },
  };
}
