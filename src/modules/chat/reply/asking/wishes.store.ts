import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RowQuery } from '../../../../database/statements/query';
import { updateRows } from '../../../../database/statements/update';
import { MessageEntity } from '../../conversations/message.entity';
import { NO_WISHES, type ReplyWishes } from '../reply-wishes';
import { ReplyWishesEntity } from './reply-wishes.entity';

/** Conversation, hash. */
const SAME = new RowQuery(ReplyWishesEntity, ({ chatId, hash }) => `WHERE ${chatId} = ? AND ${hash} = ?`, ['id']);

/** Id. */
const WISHES = new RowQuery(ReplyWishesEntity, ({ id }) => `WHERE ${id} = ?`, ['wishes']);

const NOTHING = JSON.stringify(NO_WISHES);

/** Keeps with what wishes replies were asked for, so that they can be asked for again. Each repeats its tools in every turn. */
@Injectable()
export class WishesStore {
  /**
   * Within `Database.write`.
   *
   * @returns their id; null for a reply that was asked for with none
   */
  async keep(manager: EntityManager, chatId: number, wishes: ReplyWishes | null): Promise<number | null> {
    const text = JSON.stringify(wishes);
    if (wishes === null || text === NOTHING) {
      return null;
    }
    const hash = createHash('sha256').update(text).digest('hex');
    const known = await SAME.first(manager, [chatId, hash]);
    if (known !== null) {
      return known.id;
    }
    // A parallel exchange may keep the same ones. Only one of the two gets the conversation, but neither may fail here.
    const row = { chatId, hash, wishes: wishes as never };
    await manager.createQueryBuilder().insert().into(ReplyWishesEntity).values(row).orIgnore().execute();
    return (await SAME.first(manager, [chatId, hash]))?.id ?? null;
  }

  async read(manager: EntityManager, id: number | null): Promise<ReplyWishes | null> {
    return id === null ? null : ((await WISHES.first(manager, [id]))?.wishes ?? null);
  }

  /**
   * Within `Database.write`: no version of the reply can be asked for with its wishes any more. They go when no other reply
   * has them.
   */
  async forget(
    manager: EntityManager,
    { chatId, position, wishesId }: Pick<MessageEntity, 'chatId' | 'position' | 'wishesId'>,
  ): Promise<void> {
    if (wishesId !== null) {
      const versions = 'chat_id = ? AND position = ? AND wishes_id = ?';
      await updateRows(manager, MessageEntity, { wishesId: null }, versions, [chatId, position, wishesId]);
      if (!(await manager.existsBy(MessageEntity, { chatId, wishesId }))) {
        await manager.delete(ReplyWishesEntity, { id: wishesId });
      }
    }
  }
}
