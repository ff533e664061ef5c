import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { updateRows } from '../../../database/row-statements';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { ChatConfig } from '../chat.config';
import { chatEvent } from '../chat.events';
import { ChatEntity } from '../entities/chat.entity';
import { MessageEntity } from '../entities/message.entity';
import type { ReplyEnd } from './live-reply';
import { titleFromMessage } from './reply-title';
import type { RunningReply } from './running-reply';

/** How much of each message the model sees, in UTF-16 units; a title needs no more. */
const LONGEST_EXCERPT = 2_000;
const TIMEOUT_SECONDS = 30;

const INSTRUCTION =
  'Write a title for the conversation below: at most six words, in the language of the conversation, ' +
  'without quotation marks and without a full stop. Answer with the title only.';

/** Titles of new conversations: made here from the user's words, or by a model when `TITLE_MODEL` names one. */
@Injectable()
export class ReplyTitler {
  private readonly logger = new Logger(ReplyTitler.name);

  constructor(
    private readonly config: ChatConfig,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly models: LanguageModels,
  ) {}

  /** The title that the exchange itself gives; null when a model is to make it afterwards. */
  titleOf(content: string): string | null {
    return this.config.TITLE_MODEL === null ? titleFromMessage(content) : null;
  }

  /** Has a model make the title, outside of the user's usage and of anybody's waiting. */
  afterReply(reply: RunningReply, end: ReplyEnd): void {
    const { TITLE_MODEL } = this.config;
    if (TITLE_MODEL === null || !reply.task.isUntitled || end.status === 'failed' || reply.text === '') {
      return;
    }
    this.makeTitle(reply, TITLE_MODEL).catch((error: unknown) => {
      this.logger.warn({ chat_id: reply.chatId, error }, 'No title could be made.');
    });
  }

  private async makeTitle(reply: RunningReply, model: string): Promise<void> {
    const message = await this.database.repository(MessageEntity).findOneBy({ id: reply.userMessageId });
    const content = message?.content ?? '';
    const answer = await this.ask(model, content, reply.text);
    // The model's answer is text from outside: it passes the same rules as the user's words, which also stand in for it.
    const title = titleFromMessage(answer) ?? titleFromMessage(content);
    if (title !== null) {
      await this.store(reply, title);
    }
  }

  private async ask(model: string, content: string, reply: string): Promise<string> {
    let answer = '';
    const conversation = `User: ${excerpt(content)}\n\nAssistant: ${excerpt(reply)}`;
    await this.models.generate(
      {
        provider: null,
        model,
        messages: [
          { role: 'system', content: INSTRUCTION },
          { role: 'user', content: conversation },
        ],
        parameters: { max_tokens: 32 },
        timeoutSeconds: TIMEOUT_SECONDS,
      },
      { onText: (text) => void (answer += text) },
      new AbortController().signal,
    );
    return answer.replace(/["“”„«»]/g, '');
  }

  private async store({ chatId, messageId, task }: RunningReply, title: string): Promise<void> {
    await this.database.write(async (manager) => {
      const titled = await updateRows(
        manager,
        ChatEntity,
        { title, hasPlaceholderTitle: false, titleReplyId: messageId, updatedAt: this.clock.now() },
        'id = ? AND has_placeholder_title = 1',
        [chatId],
      );
      if (titled !== 0) {
        const chat = { id: chatId, userId: task.userId, agentId: task.agent.id, title };
        await this.events.publish(manager, chatEvent('chat.updated', chat, { changed: ['title'] }));
      }
    });
  }
}

function excerpt(text: string): string {
  return text.slice(0, LONGEST_EXCERPT).toWellFormed();
}
