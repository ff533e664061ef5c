import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows, rowExists } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { ConversationQuery, OptionsStore, type StoredMessage } from '../../chat/chat.api';
import type { ResumeListener } from '../../generation/generation.api';
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
  /** The part of the reply that this response is. */
  part: ResponsePart;
  /** Null for the first response of the reply. */
  continuation: ContinuationEntity | null;
}

/** A request that continues a reply. */
interface ResponseContinuationRequest {
  userId: number;
  input: ApprovalResponseItem[];
  /** Settings that differ from those of the reply's first response. */
  settings: Partial<ResponseSettings>;
  /** All settings and labels, for a reply without a first response. */
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

  /** The user's response with this wire ID; null for any other text, and while its conversation is in the trash. */
  async find(userId: number, wireId: string): Promise<StoredResponse | null> {
    const id = readResponseId(wireId);
    return id && this.findPart(userId, id.messageId, () => id.number);
  }

  /** The response that these decisions created, or else the last one of the reply; null: none. */
  findDecided(userId: number, messageId: number, approvalIds: readonly string[]): Promise<StoredResponse | null> {
    return this.findPart(userId, messageId, (continuations) => {
      const made = continuations.find(({ input }) =>
        input.some(({ approval_request_id }) => approvalIds.includes(approval_request_id)),
      );
      return (made ?? continuations.at(-1))?.number ?? 0;
    });
  }

  /** The settings of a response; null if it was not stored. */
  async headOf(messageId: number): Promise<ResponseHead | null> {
    const row = await findRow(this.database.manager, ResponseEntity, { id: messageId, isDeleted: false });
    return row && toHead({ row, part: partOf(0, await this.continuationsOf(messageId)) });
  }

  /**
   * Stores that a waiting reply continues as another response. Call it within `Database.write`.
   *
   * @param asked the request that continues the reply; absent: the decision came from another API, and only replies
   * that are responses get a row
   */
  async insertContinuation(
    manager: EntityManager,
    reply: Parameters<ResumeListener>[1],
    asked?: ResponseContinuationRequest,
  ): Promise<void> {
    const { id: messageId, chatId } = reply;
    // A concurrent deletion waits for this lock and then keeps the settings.
    const base = await findRow(manager, ResponseEntity, { id: messageId }, { lock: 'wait' });
    const earlier = await this.continuationsOf(messageId, manager);
    const userId = asked?.userId ?? base?.userId ?? earlier[0]?.userId;
    const firstStep = reply.steps === null || reply.steps === '' ? 0 : reply.steps.split(',').length;
    const isFirst = base === null && earlier.every(({ isDeleted }) => isDeleted);
    // The deciding request has already stored the row, or all settings were deleted.
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

  /** Call it in the transaction that stores the message of the reply. */
  async keep(manager: EntityManager, row: ResponseEntity): Promise<void> {
    await insertRow(manager, ResponseEntity, row);
  }

  /**
   * Updates the settings when unsupported parameters become known. Does nothing for a response that is not stored. Call
   * it within `Database.write`.
   */
  async change(manager: EntityManager, id: number, settings: ResponseSettings): Promise<void> {
    await updateRows(manager, ResponseEntity, { settings }, 'message_id = ?', [id]);
  }

  /**
   * Deletes the response but not its messages.
   *
   * @returns whether its conversation was created for responses and this was its last content
   */
  delete({ row: { id, userId, chatId }, message, part, continuation }: StoredResponse): Promise<boolean> {
    return this.database.write(async (manager) => {
      // The lock order of the end of a reply: messages, then the user's counters, then responses.
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
      // Other responses of the reply still count for the storage quota.
      await updateRows(manager, ContinuationEntity, { settings: {}, labels: null }, { messageId: id });
      if (row === null) {
        // The reply has no first response, or another request has just deleted it.
        return false;
      }
      await deleteRows(manager, ResponseEntity, { id });
      // The settings count for the storage quota under the ID of the reply. So do tool results, which stay.
      await this.storage.releaseTexts(manager, userId, id, keptBytesOf(row));
      if (row.isInConversation) {
        // The remaining responses of the conversation must keep this flag.
        await updateRows(manager, ResponseEntity, { isInConversation: true }, 'chat_id = ?', [chatId]);
        return false;
      }
      const hasOthers =
        (await rowExists(manager, ResponseEntity, { chatId })) ||
        (await rowExists(manager, ContinuationEntity, { userId, chatId, isDeleted: false }));
      return !hasOthers && !(await this.conversations.hasPlainReply(manager, chatId));
    });
  }

  /**
   * Marks the conversation as named by a client, so that it is not deleted with its last response. One row with the
   * mark is enough.
   */
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

/** Bytes of the settings and listed tools of a response. */
export function keptBytesOf({ settings, listed }: Pick<ResponseEntity, 'settings' | 'listed'>): number {
  return Buffer.byteLength(JSON.stringify([settings, listed]));
}

/** The head of a stored response, from its row and its part of the reply. */
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

/** A continuation has the settings of the reply's first response, except for its own changes. */
function rowOf(
  base: ResponseEntity | null,
  continuations: readonly ContinuationEntity[],
  { messageId: id, userId, chatId, createdAt, settings, isDeleted }: ContinuationEntity,
): ResponseEntity {
  // Deleted continuations before it have no settings.
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
