import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull } from 'typeorm';
import { Clock } from '../../common/clock';
import type { ListQueryDto } from '../../common/envelope/list-query.dto';
import type { ListPart } from '../../common/envelope/total-count';
import { ValidationFailedError } from '../../common/errors/validation.errors';
import { type DomainEvent, DomainEvents } from '../../common/events/domain-events';
import { ActionBudgets } from '../../common/rate-limit/action-budgets';
import { DAY_MILLISECONDS } from '../../common/time';
import { Database } from '../../database/database';
import { findPage, findRows } from '../../database/statements/find';
import { insertEntity } from '../../database/statements/insert';
import { allOf, type RowCondition } from '../../database/statements/row-condition';
import { updateRows } from '../../database/statements/update';
import { ChatReadService, ConversationQuery } from '../chat/chat.api';
import { SettingsService } from '../user/user.api';
import { type CreateShareDto, type ShareDto, toShareDto } from './share.dto';
import { ShareEntity } from './share.entity';
import { ShareNotFoundError } from './share.errors';
import { shareEvent } from './share.events';

/** Links that a user may create per day, because a single account could otherwise fill the shared disk. */
const SHARES_PER_DAY = 200;

/**
 * Most links ended by one statement. Some conversations have thousands, and databases limit the number of parameters.
 */
const ENDED_AT_ONCE = 500;

/** How many messages a shared conversation shows, the newest ones. */
export const SHARED_MESSAGES = 1_000;

/** 128 bits, which cannot be guessed. */
const TOKEN_BYTES = 16;

/** A new link, with its secret. */
export interface NewShare {
  share: ShareDto;
  token: string;
}

/** Creates, lists and ends links to conversations. `shared-chats.service.ts` reads conversations through them. */
@Injectable()
export class SharesService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly chats: ChatReadService,
    private readonly conversations: ConversationQuery,
    private readonly settings: SettingsService,
    private readonly budgets: ActionBudgets,
    private readonly events: DomainEvents,
  ) {
    events.on('chat.deleted', async ({ data }, manager) => {
      const { chat_id: chatId } = data as Partial<ChatData>;
      await (chatId !== undefined && this.endAll(manager, { chatId }));
    });
    for (const type of ['user.banned', 'user.suspended', 'user.deleted']) {
      events.on(type, async ({ userId }, manager) => {
        await (userId !== null && this.endAll(manager, { userId }));
      });
    }
  }

  /**
   * @throws ChatNotFoundError, ShareNotFoundError while sharing is disabled, ValidationFailedError for an expiry in the
   * past, RateLimitExceededError
   */
  async create(userId: number, chatId: number, { mode = 'snapshot', expires_at }: CreateShareDto): Promise<NewShare> {
    const now = this.clock.now();
    const expiresAt = typeof expires_at === 'string' ? new Date(expires_at) : null;
    if (expiresAt !== null && expiresAt <= now) {
      throw ValidationFailedError.of('expires_at', 'out_of_range');
    }
    await this.chats.get(userId, chatId);
    if ((await this.settings.get()).sharing === 'off') {
      throw new ShareNotFoundError();
    }
    await this.budgets.take({ name: 'shares', limit: SHARES_PER_DAY, milliseconds: DAY_MILLISECONDS }, userId);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const share = await this.database.write(async (manager) => {
      // Locked, because a concurrent deletion of the conversation ends only the links that it finds.
      const chat = await this.chats.lock(manager, userId, chatId);
      const isSnapshot = mode === 'snapshot';
      const added = await insertEntity(manager, ShareEntity, {
        chatId,
        userId,
        tokenHash: hashOf(token),
        mode,
        title: isSnapshot ? chat.title : null,
        // One more than is shown, to detect that there are older messages.
        messageIds: isSnapshot ? await this.conversations.lineIds(manager, chatId, SHARED_MESSAGES + 1) : null,
        expiresAt,
        endedAt: null,
        createdAt: now,
      });
      await this.events.publish(manager, shareEvent('shared', added));
      return added;
    });
    return { share: toShareDto(share), token };
  }

  /** The readable links, the newest first. @throws ChatNotFoundError */
  async list(userId: number, chatId: number, { limit, offset }: ListQueryDto): Promise<ListPart<ShareDto>> {
    await this.chats.get(userId, chatId);
    const living = allOf(
      { condition: 'chat_id = ? AND user_id = ?', parameters: [chatId, userId] },
      await this.living(),
    );
    const order = { id: 'DESC' } as const;
    const { items, total } = await findPage(this.database.manager, ShareEntity, living, { limit, offset, order });
    return { items: items.map(toShareDto), total };
  }

  /** @throws ChatNotFoundError, ShareNotFoundError */
  async end(userId: number, chatId: number, id: number): Promise<void> {
    await this.chats.get(userId, chatId);
    const ended = await this.database.write((manager) => this.endAll(manager, { id, chatId, userId }));
    if (ended === 0) {
      throw new ShareNotFoundError();
    }
  }

  /** The link of a token, if it has not ended. */
  async find(token: string): Promise<ShareEntity | null> {
    const isNamed = { condition: 'token_hash = ?', parameters: [hashOf(token)] };
    const [share] = await findRows(this.database.manager, ShareEntity, allOf(isNamed, await this.living()), {
      limit: 1,
    });
    return share ?? null;
  }

  /** The links that have not ended: by expiry, by their owner, or because sharing was disabled. */
  private async living(): Promise<RowCondition> {
    const { sharing, sharing_ended_at } = await this.settings.get();
    const now = this.clock.now();
    const since = sharing === 'off' ? now : new Date(sharing_ended_at ?? 0);
    return {
      condition: 'ended_at IS NULL AND (expires_at IS NULL OR expires_at > ?) AND created_at > ?',
      parameters: [now, since],
    };
  }

  /** @returns how many were ended */
  private async endAll(
    manager: EntityManager,
    which: Partial<Pick<ShareEntity, 'id' | 'chatId' | 'userId'>>,
  ): Promise<number> {
    const living = { ...which, endedAt: IsNull() };
    for (let count = 0; ;) {
      const shares = await findRows(manager, ShareEntity, living, { limit: ENDED_AT_ONCE, lock: 'wait' });
      if (shares.length > 0) {
        const ids = shares.map(({ id }) => id);
        // The conversation may be erased long before this row, and its title is personal data.
        await updateRows(manager, ShareEntity, { endedAt: this.clock.now(), title: null }, { id: In(ids) });
        const ended: DomainEvent[] = shares.map((share) => shareEvent('unshared', share));
        await this.events.publishAll(manager, ended);
      }
      count += shares.length;
      if (shares.length < ENDED_AT_ONCE) {
        return count;
      }
    }
  }
}

interface ChatData {
  chat_id: number;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
