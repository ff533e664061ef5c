import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/api-error';
import { assertScope } from '../../common/security/principal';
import type { PublicRequestContext, RequestContext } from '../../common/security/request-context';
import type { Scope } from '../../common/security/scopes';
import { UnauthorizedError } from '../../common/security/security.errors';
import { Database } from '../../database/database';
import { AgentService } from '../agent/agent.api';
import {
  ChatContentQuery,
  type ChatDto,
  ChatReadService,
  ChatService,
  ConversationQuery,
  FileNotFoundError,
  type MessageFile,
  MessageFiles,
  PAGE_BYTES,
  type StoredMessage,
  type StoredTurn,
  TurnAppender,
} from '../chat/chat.api';
import { IdempotencyService, senderOf } from '../generation/generation.api';
import { SettingsService, UserDirectoryQuery } from '../user/user.api';
import { SharedChatDto, sharedCitations, sharedFiles, sharedWords, SharingDto, toSharedMessage } from './share.dto';
import type { ShareEntity } from './share.entity';
import { ShareNotFoundError } from './share.errors';
import { SHARED_MESSAGES, SharesService } from './shares.service';

/** A readable link, with its conversation. */
interface Opened {
  share: ShareEntity;
  title: string;
  agentId: number;
}

/** The visible content of a shared conversation, the oldest message first. */
interface Shown {
  messages: StoredMessage[];
  hasMore: boolean;
}

/** Reads conversations for people with a link. */
@Injectable()
export class SharedChatsService {
  constructor(
    private readonly database: Database,
    private readonly shares: SharesService,
    private readonly settings: SettingsService,
    private readonly users: UserDirectoryQuery,
    private readonly contents: ChatContentQuery,
    private readonly conversations: ConversationQuery,
    private readonly agents: AgentService,
    private readonly files: MessageFiles,
    private readonly chats: ChatService,
    private readonly reading: ChatReadService,
    private readonly appender: TurnAppender,
    private readonly idempotency: IdempotencyService,
  ) {}

  async access(): Promise<SharingDto> {
    const { sharing } = await this.settings.get();
    return { sharing };
  }

  /**
   * @throws ShareNotFoundError for every reason. If only signed-in users may read links, also UnauthorizedError, and
   * ScopeRequiredError for a key that cannot read conversations.
   */
  async read(context: PublicRequestContext, token: string): Promise<SharedChatDto> {
    const { share, title, agentId } = await this.open(context, token, 'chat:read');
    const { messages, hasMore } = await this.shown(share);
    const agent = (await this.agents.findManyForDisplay([agentId])).get(agentId);
    return {
      title,
      agent_name: agent?.name ?? null,
      mode: share.mode,
      created_at: share.createdAt.toISOString(),
      expires_at: share.expiresAt?.toISOString() ?? null,
      messages: messages.flatMap((message) => toSharedMessage(message) ?? []),
      has_more_messages: hasMore,
    };
  }

  /** An image or a file of a visible message. @throws FileNotFoundError, and the errors of `read` */
  async readFile(context: PublicRequestContext, token: string, hash: string): Promise<MessageFile> {
    const { share } = await this.open(context, token, 'chat:read');
    const { messages } = await this.shown(share);
    const message = messages.find((candidate) => sharedFiles(candidate).some((file) => file.hash === hash));
    if (message === undefined) {
      throw new FileNotFoundError();
    }
    return this.files.find({ id: share.chatId, userId: share.userId }, message.id, hash);
  }

  /**
   * Copies the visible messages to a conversation of the caller, with the same agent if the caller may use it.
   *
   * Files are not stored again, so a nearly full disk does not matter.
   *
   * @throws ShareNotFoundError, StorageQuotaExceededError, ServiceUnavailableError
   */
  async continue(context: RequestContext, token: string, key: string | null): Promise<ChatDto> {
    const { userId } = context.principal;
    const request = { userId, key, route: 'POST /shared/continue', body: { token } };
    const chat = await this.idempotency.once(
      request,
      async () => {
        const { share, title, agentId } = await this.open(context, token, 'chat:write');
        const turns = (await this.shown(share)).messages.flatMap(toTurn);
        const agent_id = await this.usable(agentId, context);
        if (turns.length === 0) {
          await this.chats.countEmpty(context.principal);
        }
        return this.database.write(async (manager) => {
          const made = await this.chats.begin(context, { title, agent_id, isCopy: true }, request);
          if (turns.length > 0) {
            await this.appender.append(manager, senderOf(context), made.id, turns);
          }
          return made;
        });
      },
      ({ chatId }) => this.reading.get(userId, chatId),
    );
    return this.reading.describe(await this.reading.get(userId, chat.id));
  }

  /** @param scope that a key needs if only signed-in users may read links */
  private async open({ principal }: PublicRequestContext, token: string, scope: Scope): Promise<Opened> {
    const { sharing } = await this.settings.get();
    // The same for every link, whether it exists or not.
    if (sharing === 'users') {
      if (principal === null) {
        throw new UnauthorizedError();
      }
      assertScope(principal, scope);
    }
    const share = sharing === 'off' ? null : await this.shares.find(token);
    // An instance that does not know of a ban yet still lets the user create links, which must not be readable either.
    if (share === null || (await this.users.withoutAccess([share.userId])).has(share.userId)) {
      throw new ShareNotFoundError();
    }
    const chat = await this.contents.find(share.chatId);
    if (chat === null) {
      throw new ShareNotFoundError();
    }
    return { share, title: share.title ?? chat.title, agentId: chat.agentId };
  }

  private async shown({ chatId, messageIds }: ShareEntity): Promise<Shown> {
    if (messageIds === null) {
      const part = { from: null, isBackwards: true, limit: SHARED_MESSAGES + 1 };
      const { messages, isCut } = await this.conversations.cutLine(chatId, part, PAGE_BYTES);
      return {
        messages: messages.slice(0, SHARED_MESSAGES).reverse(),
        hasMore: isCut || messages.length > SHARED_MESSAGES,
      };
    }
    const messages = await this.conversations.newestOf(messageIds.slice(-SHARED_MESSAGES), PAGE_BYTES);
    return { messages, hasMore: messages.length < messageIds.length };
  }

  /** The agent, if the caller may start a conversation with it; undefined: the caller's default. */
  private async usable(agentId: number, { principal }: RequestContext): Promise<number | undefined> {
    try {
      return (await this.agents.resolveForNewChat(agentId, principal)).id;
    } catch (error) {
      if (error instanceof ApiError) {
        return undefined;
      }
      throw error;
    }
  }
}

/**
 * A message in the form of the copy. A reply that is still being written is not copied. Nor are `system` messages of a
 * client, because models give them the highest priority, and here they would come from another person.
 */
function toTurn(message: StoredMessage): StoredTurn[] {
  const { role, status } = message;
  const content = sharedWords(message);
  const files = sharedFiles(message);
  if (status === 'streaming' || role === 'system' || (content === '' && files.length === 0)) {
    return [];
  }
  const citations = sharedCitations(message);
  const text = { type: 'text', text: content, ...(citations.length > 0 && { citations }) } as const;
  const isPlain = files.length === 0 && citations.length === 0;
  const stored = isPlain ? null : [...(content === '' ? [] : [text]), ...files];
  return [{ role, content, parts: null, stored }];
}
