import { Injectable, StreamableFile } from '@nestjs/common';
import { csvList } from '../../../common/csv/csv';
import { Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { DomainEvents } from '../../../common/events/domain-events';
import { ForbiddenError } from '../../../common/security/security.errors';
import { ContentAccessConfig } from '../../../config/content-access.config';
import { Database } from '../../../database/database';
import { inTimeRange } from '../../../database/statements/time-range';
import { type Chat, ChatContentQuery, repliesThatWait } from '../../chat/chat.api';
import { ActionLists } from '../../generation/generation.api';
import { LegalHolds } from '../../hold/hold.api';
import { UserDirectoryQuery } from '../../user/user.api';
import { chatAudit } from '../admin.audit';
import {
  CHAT_METADATA_FIELDS,
  type ChatContent,
  ChatMetadataDto,
  ListAllChatsQueryDto,
  ReadContentQueryDto,
  toChatMetadataDto,
} from './content.dto';

/** Most messages in one response. */
const MOST_MESSAGES = 1_000;

/**
 * Conversations of all users, as far as administrators may see them. Deleted ones are not shown.
 *
 * Start here in this folder: `find` returns only metadata of conversations. `read` returns texts, but only if the
 * operator allows it and after writing a log entry. `feedback.*` lists users' ratings of replies.
 */
@Injectable()
export class ContentService {
  constructor(
    private readonly database: Database,
    private readonly config: ContentAccessConfig,
    private readonly events: DomainEvents,
    private readonly chats: ChatContentQuery,
    private readonly users: UserDirectoryQuery,
    private readonly actions: ActionLists,
    private readonly holds: LegalHolds,
  ) {}

  /** One page of the conversations, or all matching ones as a file. */
  find(query: ListAllChatsQueryDto): Promise<Page<ChatMetadataDto> | StreamableFile> {
    return query.format === 'csv' ? this.file(query) : this.list(query);
  }

  /**
   * Returns nothing before the log entry is committed.
   *
   * @throws ForbiddenError unless ADMIN_CONTENT_ACCESS is on
   * @throws ChatNotFoundError
   */
  async read(id: number, { reason, before }: ReadContentQueryDto): Promise<ChatContent> {
    if (!this.config.ADMIN_CONTENT_ACCESS) {
      throw new ForbiddenError();
    }
    const chat = await this.chats.get(id);
    await this.database.write((manager) =>
      this.events.publish(
        manager,
        chatAudit.change('read', { id, userId: chat.userId, before: null, after: null, reason }),
      ),
    );
    const { messages, hasMore } = await this.chats.newestMessages(chat, MOST_MESSAGES, before);
    const actions = await this.actions.ofMessages(repliesThatWait(messages));
    const onHold = await this.holds.holdsOfChats([chat]);
    return { chat, usernames: await this.users.usernames([chat.userId]), onHold, messages, actions, hasMore };
  }

  private async list(query: ListAllChatsQueryDto): Promise<Page<ChatMetadataDto>> {
    const { by, direction } = orderOf(query.sort);
    const order = { by: by === 'id' ? by : 'createdAt', direction } as const;
    const { items, total } = await this.chats.page(filterOf(query), partOf(query), order);
    return toPage(await this.named(items), total, query);
  }

  private file(query: ListAllChatsQueryDto): Promise<StreamableFile> {
    return csvList('chats', CHAT_METADATA_FIELDS, async (last?: ChatMetadataDto) =>
      this.named(await this.chats.batch(filterOf(query), last?.id)),
    );
  }

  private async named(chats: readonly Chat[]): Promise<ChatMetadataDto[]> {
    const usernames = await this.users.usernames(chats.map(({ userId }) => userId));
    const onHold = await this.holds.holdsOfChats(chats);
    return chats.map((chat) => toChatMetadataDto(chat, usernames, onHold));
  }
}

/** @throws InvalidParameterError when the period ends before it starts */
function filterOf(query: ListAllChatsQueryDto): Parameters<ChatContentQuery['page']>[0] {
  return { userId: query.user_id, agentId: query.agent_id, createdAt: inTimeRange(query) };
}
