import { Injectable } from '@nestjs/common';
import { firstInstantOf, lastInstantOf } from '../../../common/validation/times';
import { AuditOfSubjects } from '../../admin/admin.api';
import { type LegalHold, LegalHoldStore } from '../../hold/hold.api';
import { HeldFilesQuery } from '../../knowledge/knowledge.api';
import { PersonalDataRegistry, UserDirectoryQuery, UserService } from '../../user/user.api';
import { HoldSubjects } from '../holds/hold-subjects';

export const ROW_TYPES = ['user', 'chat', 'message', 'tool_call', 'action', 'feedback', 'file', 'audit'] as const;

export type RowType = (typeof ROW_TYPES)[number];

/** A row of an export. */
export type ExportRow = Record<string, unknown>;

/** A period of messages. */
export interface Period {
  from?: string;
  to?: string;
}

/** A part of a message that refers to a stored file. */
interface FilePart {
  hash?: string;
  name?: string | null;
  media_type?: string;
  bytes?: number;
}

/**
 * The rows of one export, by type and in the order of `ROW_TYPES`: messages show which calls, ratings and files belong
 * to it.
 */
export class RowsOfHold {
  /** The calls of a conversation, by which its actions are found. */
  private readonly calls = new Set<number>();
  private readonly feedback: ExportRow[] = [];
  /** Files in messages, by hash. */
  private readonly attached = new Map<string, ExportRow>();

  /** @param chatId for the hold of one conversation */
  constructor(
    private readonly sources: HoldRows,
    private readonly userIds: readonly number[],
    private readonly chatId: number | null,
    private readonly isInPeriod: (row: ExportRow) => boolean,
  ) {}

  async *of(type: RowType): AsyncGenerator<ExportRow> {
    if (type === 'feedback') {
      yield* this.feedback;
      return;
    }
    for (const userId of this.userIds) {
      yield* this.ofUser(type, userId);
    }
    if (type === 'file') {
      yield* this.attached.values();
    }
  }

  private async *ofUser(type: Exclude<RowType, 'feedback'>, userId: number): AsyncGenerator<ExportRow> {
    switch (type) {
      case 'user':
        yield await this.sources.user(userId);
        break;
      case 'chat':
        yield* this.chats(userId);
        break;
      case 'message':
        yield* this.messages(userId);
        break;
      case 'tool_call':
        for await (const call of this.ofChat(this.sources.named('tool_calls', userId), 'chat_id')) {
          this.calls.add(Number(call.id));
          yield { user_id: userId, ...call };
        }
        break;
      case 'action':
        for await (const action of this.sources.named('tool_actions', userId)) {
          if (this.calls.has(Number(action.call_id))) {
            yield { user_id: userId, ...action };
          }
        }
        break;
      case 'file':
        yield* this.sources.files(this.chatId === null ? { userId } : { chatId: this.chatId });
        break;
      case 'audit':
        yield* this.sources.audit(userId, this.chatId);
    }
  }

  /** With the values that guards replaced by masks. */
  private async *chats(userId: number): AsyncGenerator<ExportRow> {
    const masks = await listed(this.sources.named('masks', userId));
    for await (const chat of this.ofChat(this.sources.named('chats', userId), 'id')) {
      const own = masks.filter(({ chat_id }) => chat_id === chat.id);
      yield { ...chat, masks: own.map(({ mask, value }) => ({ mask, value })) };
    }
  }

  private async *messages(userId: number): AsyncGenerator<ExportRow> {
    for await (const message of this.ofChat(this.sources.named('messages', userId), 'chat_id')) {
      if (this.isInPeriod(message)) {
        const { id, chat_id, feedback, parts } = message;
        if (feedback !== null && feedback !== undefined) {
          this.feedback.push({ message_id: id, chat_id, user_id: userId, ...feedback });
        }
        for (const { hash, name = null, media_type, bytes } of (parts ?? []) as FilePart[]) {
          if (hash !== undefined) {
            this.attached.set(hash, { hash, media_type, name, bytes, user_id: userId, chat_id, message_id: id });
          }
        }
        yield { user_id: userId, ...message };
      }
    }
  }

  private async *ofChat(rows: AsyncIterable<ExportRow>, member: string): AsyncGenerator<ExportRow> {
    for await (const row of rows) {
      if (this.chatId === null || row[member] === this.chatId) {
        yield row;
      }
    }
  }
}

/** Reads what a hold keeps. Rows contain no password, key or token. */
@Injectable()
export class HoldRows {
  constructor(
    private readonly subjects: HoldSubjects,
    private readonly store: LegalHoldStore,
    private readonly registry: PersonalDataRegistry,
    private readonly directory: UserDirectoryQuery,
    private readonly users: UserService,
    private readonly heldFiles: HeldFilesQuery,
    private readonly log: AuditOfSubjects,
  ) {}

  async rowsOf({ id, scope, scopeId }: LegalHold, { from, to }: Period): Promise<RowsOfHold> {
    const first = from === undefined ? -Infinity : firstInstantOf(from).getTime();
    const last = to === undefined ? Infinity : lastInstantOf(to).getTime();
    const isInPeriod = ({ created_at }: ExportRow): boolean => {
      const at = Date.parse(String(created_at));
      return at >= first && at <= last;
    };
    if (scope === 'chat') {
      const owner = await this.subjects.ownerOf(scopeId);
      return new RowsOfHold(this, owner === null ? [] : [owner], scopeId, isInPeriod);
    }
    return new RowsOfHold(this, await this.store.usersOf(id), null, isInPeriod);
  }

  /** The account with its groups and identities, also those that it has lost. */
  async user(userId: number): Promise<ExportRow> {
    const user = await this.directory.find(userId);
    const copies = await this.copiesOf(userId);
    return {
      ...(user && {
        ...this.users.toDto(user),
        email: user.formerEmail ?? user.email,
        bio: user.bio,
        settings: user.settings,
        deleted_at: user.deletedAt?.toISOString() ?? null,
      }),
      id: userId,
      groups: await listed(this.named('groups', userId)),
      identities: [...(await listed(this.named('identities', userId))), ...(copies.get('identity') ?? [])],
      directories: [...(await listed(this.named('directories', userId))), ...(copies.get('directory') ?? [])],
    };
  }

  /** The rows of the user's own export, and what only the hold keeps. */
  async *named(name: string, userId: number): AsyncGenerator<ExportRow> {
    for (const source of this.registry.sources.filter((one) => one.name === name)) {
      const rows = source.heldRows?.(userId) ?? source.rows(userId);
      yield* rows as AsyncIterable<ExportRow>;
    }
  }

  /** Uploads, with the collections that they are or were in. */
  async *files(of: { userId: number } | { chatId: number }): AsyncGenerator<ExportRow> {
    const copies = 'userId' in of ? await this.copiesOf(of.userId) : new Map<string, ExportRow[]>();
    for await (const row of this.heldFiles.rows(of) as AsyncIterable<ExportRow>) {
      const former = (copies.get('entry') ?? []).filter(({ file_id }) => Number(file_id) === row.id);
      const collections = former.map(({ collection, attributes, created_at, deleted_at }) => ({
        ...(collection as object),
        attributes,
        added_at: created_at,
        deleted_at,
      }));
      yield { ...row, collections: [...(row.collections as object[]), ...collections] };
    }
  }

  audit(userId: number, chatId: number | null): AsyncIterable<ExportRow> {
    return (chatId === null ? this.log.ofUser(userId) : this.log.ofChat(chatId)) as AsyncIterable<ExportRow>;
  }

  /** By their kind. */
  private async copiesOf(userId: number): Promise<Map<string, ExportRow[]>> {
    const found = new Map<string, ExportRow[]>();
    for await (const { kind, data, deletedAt } of this.store.copiesOf(userId)) {
      found.set(kind, [...(found.get(kind) ?? []), { ...data, deleted_at: deletedAt.toISOString() }]);
    }
    return found;
  }
}

async function listed(rows: AsyncIterable<ExportRow>): Promise<ExportRow[]> {
  const list: ExportRow[] = [];
  for await (const row of rows) {
    list.push(row);
  }
  return list;
}
