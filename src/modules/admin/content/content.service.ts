import { Injectable } from '@nestjs/common';
import { Page, partOf, toPage } from '../../../common/envelope/page.dto';
import type { RequestContext } from '../../../common/security/request-context';
import { ForbiddenError } from '../../../common/security/security.errors';
import { ContentAccessConfig } from '../../../config/content-access.config';
import { Database } from '../../../database/database';
import { ChatContentQuery } from '../../chat/chat.api';
import { AuditService } from '../audit/audit.service';
import {
  type ChatContent,
  ChatMetadataDto,
  ListAllChatsQueryDto,
  ReadContentQueryDto,
  toChatMetadataDto,
} from './content.dto';

/** Largest number of messages in one answer. */
const MOST_MESSAGES = 1_000;

/**
 * Conversations of all users, as far as administrators may see them. Deleted ones are not shown.
 *
 * This folder shows what users wrote. Start here: `list` gives only facts about conversations, and `read` gives texts,
 * but only if the operator allows it and after an entry in the log. `feedback.*` lists what users think of replies.
 */
@Injectable()
export class ContentService {
  constructor(
    private readonly database: Database,
    private readonly config: ContentAccessConfig,
    private readonly audit: AuditService,
    private readonly chats: ChatContentQuery,
  ) {}

  /** The newest conversations first. */
  async list(query: ListAllChatsQueryDto): Promise<Page<ChatMetadataDto>> {
    const filter = { userId: query.user_id, agentId: query.agent_id };
    const { items, total } = await this.chats.page(filter, partOf(query));
    return toPage(items.map(toChatMetadataDto), total, query);
  }

  /**
   * Shows nothing before the entry in the log is committed.
   *
   * @throws ForbiddenError unless ADMIN_CONTENT_ACCESS is on.
   * @throws ChatNotFoundError
   */
  async read(context: RequestContext, id: number, { reason, before }: ReadContentQueryDto): Promise<ChatContent> {
    if (!this.config.ADMIN_CONTENT_ACCESS) {
      throw new ForbiddenError();
    }
    const chat = await this.chats.get(id);
    await this.database.write((manager) =>
      this.audit.record(manager, context, {
        action: 'chat.read',
        targetType: 'chat',
        targetId: id,
        subjectId: chat.userId,
        reason,
      }),
    );
    const { messages, hasMore } = await this.chats.newestMessages(chat, MOST_MESSAGES, before);
    return { chat, messages, hasMore };
  }
}
