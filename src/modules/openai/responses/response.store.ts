import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows, rowExists } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { ConversationQuery, OptionsStore, type StoredMessage } from '../../chat/chat.api';
import type { RunTaken } from '../../generation/generation.api';
import { StorageService, UsageService } from '../../usage/usage.api';
import { ContinuationEntity } from './approval/continuation.entity';
import { ResponseEntity } from './response.entity';
import type { ApprovalResponseItem } from './wire/response-item';
import type { ResponsePart } from './wire/response-part';
import type { ResponseHead } from './wire/response-resource';
import type { ResponseSettings } from './wire/response-settings';
import { readResponseId, responseId } from './wire/wire-ids';

/** A stored response and the message of its reply. */
export interface StoredResponse {
  row: ResponseEntity;
  message: StoredMessage;
  /** Which part of the reply it is. */
  part: ResponsePart;
  /** Null: the beginning of the reply. */
  continuation: ContinuationEntity | null;
}

/** A request that lets a reply go on. */
interface AskedContinuation {
  userId: number;
  input: ApprovalResponseItem[];
  /** What its response repeats of it, beside what the beginning of the reply repeats. */
  settings: Partial<ResponseSettings>;
  /** The same of a reply that did not begin as a response, and its tools. */
  whole: ResponseSettings;
  labels: ResponseHead['labels'];
}

/** The rows of stored responses. */
@Injectable()
export class ResponseStore {
  constructor(
    private readonly database: Database,
    private readonly conversations: ConversationQuery,
    private readonly options: OptionsStore,
    private readonly storage: StorageService,
    private readonly usage: UsageService,
    private readonly clock: Clock,
  ) {}

  /** The user's response with this id on the wire; null for every other text, and while its conversation is in the trash. */
  async find(userId: number, wireId: string): Promise<StoredResponse | null> {
    const id = readResponseId(wireId);
    return id && this.findPart(userId, id.messageId, () => id.number);
  }

  /** The response that these decisions made, or the last one of the reply where none was made by them; null: there is none. */
  findDecided(userId: number, messageId: number, approvalIds: readonly string[]): Promise<StoredResponse | null> {
    return this.findPart(userId, messageId, (continuations) => {
      const made = continuations.find(({ input }) =>
        input.some(({ approval_request_id }) => approvalIds.includes(approval_request_id)),
      );
      return (made ?? continuations.at(-1))?.number ?? 0;
    });
  }

  /** What a response repeats of its request; null for one that was not stored. */
  async headOf(messageId: number): Promise<ResponseHead | null> {
    const row = await findRow(this.database.manager, ResponseEntity, { id: messageId, isDeleted: false });
    return row && toHead({ row, part: partOf(0, await this.continuationsOf(messageId)) });
  }

  /**
   * Within `Database.write`: a reply that waited goes on, as another response.
   *
   * @param asked by the request that made it; absent: it came in another way, and only replies that are responses make one
   */
  async goOn(manager: EntityManager, reply: Parameters<RunTaken>[1], asked?: AskedContinuation): Promise<void> {
    const { id: messageId, chatId } = reply;
    // Whoever deletes it waits, and then keeps what it repeats.
    const base = await findRow(manager, ResponseEntity, { id: messageId }, { lock: 'wait' });
    const earlier = await this.continuationsOf(messageId, manager);
    const userId = asked?.userId ?? base?.userId ?? earlier[0]?.userId;
    const firstStep = reply.steps === null || reply.steps === '' ? 0 : reply.steps.split(',').length;
    const isFirst = base === null && earlier.every(({ isDeleted }) => isDeleted);
    // The request that decided has told already, or all that it would repeat was deleted.
    if (userId === undefined || earlier.at(-1)?.firstStep === firstStep || (isFirst && asked === undefined)) {
      return;
    }
    const number = earlier.length + 1;
    const previous_response_id = responseId(messageId, earlier.length);
    await insertRow(manager, ContinuationEntity, {
      messageId,
      number,
      userId,
      chatId,
      firstStep,
      usage: reply.tokenUsage,
      settings: (isFirst ? asked?.whole : asked?.settings) ?? { previous_response_id },
      labels: isFirst ? (asked?.labels ?? null) : null,
      input: asked?.input ?? [],
      isDeleted: false,
      waitedFrom: reply.updatedAt,
      createdAt: this.clock.now(),
    });
  }

  /** In the transaction that stores the message of the reply. */
  async keep(manager: EntityManager, row: ResponseEntity): Promise<void> {
    await insertRow(manager, ResponseEntity, row);
  }

  /** Within `Database.write`, when it turns out what its model does not take. Of one that is not stored nothing changes. */
  async change(manager: EntityManager, id: number, settings: ResponseSettings): Promise<void> {
    await updateRows(manager, ResponseEntity, { settings }, 'message_id = ?', [id]);
  }

  /**
   * Its messages stay.
   *
   * @returns whether its conversation was made for responses, and had nothing else but this one left
   */
  delete({ row: { id, userId, chatId }, message, part, continuation }: StoredResponse): Promise<boolean> {
    return this.database.write(async (manager) => {
      // As at the end of a reply: messages are locked first, then the counters of the user, then responses.
      if (continuation === null) {
        await this.options.forget(manager, message);
      }
      await this.usage.holdAccount(manager, userId);
      await (continuation === null
        ? updateRows(manager, ResponseEntity, { isDeleted: true }, 'message_id = ?', [id])
        : updateRows(manager, ContinuationEntity, { isDeleted: true }, { messageId: id, number: part.number }));
      const row = await findRow(manager, ResponseEntity, { id }, { lock: 'wait' });
      const continuations = await this.continuationsOf(id, manager);
      if (row?.isDeleted === false || continuations.some(({ isDeleted }) => !isDeleted)) {
        return false;
      }
      // The others of the reply go on to count.
      await updateRows(manager, ContinuationEntity, { settings: {}, labels: null }, { messageId: id });
      if (row === null) {
        // It never began as a response, or another request has deleted it meanwhile.
        return false;
      }
      await deleteRows(manager, ResponseEntity, { id });
      // Under the id of its reply, what it repeats of its request counts for the storage. So do results of tools, which stay.
      await this.storage.giveBack(manager, userId, id, keptBytesOf(row));
      if (row.isInConversation) {
        // What it knew of the conversation, the others must know now.
        await updateRows(manager, ResponseEntity, { isInConversation: true }, 'chat_id = ?', [chatId]);
        return false;
      }
      const hasOthers =
        (await rowExists(manager, ResponseEntity, { chatId })) ||
        (await rowExists(manager, ContinuationEntity, { userId, chatId, isDeleted: false }));
      return !hasOthers && !(await this.conversations.hasPlainReply(manager, chatId));
    });
  }

  /** Somebody has named the conversation: it does not go with its last response. One of them needs to know. */
  async nameConversation(chatId: number): Promise<void> {
    const newest = await findRow(this.database.manager, ResponseEntity, { chatId }, { order: { id: 'DESC' } });
    if (newest !== null && !newest.isInConversation) {
      await this.database.write((manager) =>
        updateRows(manager, ResponseEntity, { isInConversation: true }, 'message_id = ?', [newest.id]),
      );
    }
  }

  private continuationsOf(messageId: number, manager = this.database.manager): Promise<ContinuationEntity[]> {
    return findRows(manager, ContinuationEntity, { messageId }, { order: { number: 'ASC' } });
  }

  private async findPart(
    userId: number,
    messageId: number,
    numberIn: (continuations: readonly ContinuationEntity[]) => number,
  ): Promise<StoredResponse | null> {
    const base = await findRow(this.database.manager, ResponseEntity, { id: messageId, userId });
    const continuations = (await this.continuationsOf(messageId)).filter((one) => one.userId === userId);
    const part = partOf(numberIn(continuations), continuations);
    const continuation = continuations[part.number - 1] ?? null;
    const row = part.number === 0 ? base : continuation && rowOf(base, continuations, continuation);
    if (row === null || row.isDeleted) {
      return null;
    }
    const [message] = await this.conversations.find(userId, [messageId]);
    return message === undefined ? null : { row, message, part, continuation };
  }
}

/** Bytes of what a response repeats of its request, and lists. */
export function keptBytesOf({ settings, listed }: Pick<ResponseEntity, 'settings' | 'listed'>): number {
  return Buffer.byteLength(JSON.stringify([settings, listed]));
}

/** A response as it is read: its row, and which part of the reply it is. */
export function toHead({ row, part }: Pick<StoredResponse, 'row' | 'part'>): ResponseHead {
  const { id: messageId, chatId, createdAt, settings, labels, listed } = row;
  return { messageId, chatId, createdAt, settings, labels, listed, part };
}

function partOf(number: number, continuations: readonly ContinuationEntity[]): ResponsePart {
  const own = continuations[number - 1];
  const next = continuations[number];
  return {
    number,
    first: own?.firstStep ?? 0,
    usage: own?.usage ?? null,
    last: next === undefined ? null : { step: next.firstStep, usage: next.usage, at: next.waitedFrom },
  };
}

/** A continuation repeats what the beginning of its reply repeats, but for its own. */
function rowOf(
  base: ResponseEntity | null,
  continuations: readonly ContinuationEntity[],
  { messageId: id, userId, chatId, createdAt, settings, isDeleted }: ContinuationEntity,
): ResponseEntity {
  // Those before it have nothing any more.
  const first = continuations.find(({ settings: { model } }) => model !== undefined);
  const begun = base?.settings ?? (first?.settings as ResponseSettings);
  return {
    id,
    userId,
    chatId,
    createdAt,
    questionId: base?.questionId ?? 0,
    turnCount: 0,
    isDeleted,
    isInConversation: base?.isInConversation ?? true,
    settings: { ...begun, ...settings },
    labels: base?.labels ?? first?.labels ?? null,
    listed: base?.listed ?? null,
  };
}
