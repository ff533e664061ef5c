import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../../common/clock';
import type { ListPart } from '../../../../common/envelope/total-count';
import { Database } from '../../../../database/database';
import { deleteRows } from '../../../../database/statements/delete';
import { findPage, findRows } from '../../../../database/statements/find';
import { upsertRows } from '../../../../database/statements/insert';
import type { ToolCallEntity } from '../../actions/tool-call.entity';
import { ApprovalNotFoundError } from '../acting.errors';
import { type ApprovalScope, ToolApprovalEntity } from './tool-approval.entity';

/** The user, conversation and agent of a call. */
type Caller = Pick<ToolCallEntity, 'userId' | 'chatId' | 'agentId'>;

/** The remembered approvals that apply in a conversation with its agent. */
export class RememberedApprovals {
  private readonly known: ReadonlySet<string>;

  constructor(approvals: readonly Pick<ToolApprovalEntity, 'tool' | 'pin'>[]) {
    this.known = new Set(approvals.map(({ tool, pin }) => keyOf(tool, pin)));
  }

  /** False if the definition of the tool has changed since the approval. */
  has(tool: string, pin: string | null): boolean {
    return this.known.has(keyOf(tool, pin));
  }
}

/** Approvals that users gave for later calls too. */
@Injectable()
export class ToolApprovals {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** A user's approvals, newest first. */
  ofUser(userId: number, { limit, offset }: { limit: number; offset: number }): Promise<ListPart<ToolApprovalEntity>> {
    return findPage(this.database.manager, ToolApprovalEntity, { userId }, { order: { id: 'DESC' }, limit, offset });
  }

  async findRemembered(
    { userId, chatId, agentId }: Caller,
    manager = this.database.manager,
  ): Promise<RememberedApprovals> {
    const scopes = [
      { userId, scope: 'chat' as const, targetId: chatId },
      { userId, scope: 'agent' as const, targetId: agentId },
    ];
    return new RememberedApprovals(await findRows(manager, ToolApprovalEntity, scopes));
  }

  /** Within `Database.write`: remembers the approval for later calls of this tool. */
  async remember(manager: EntityManager, call: ToolCallEntity, scope: ApprovalScope): Promise<void> {
    const { userId, name: tool, pin } = call;
    const targetId = scope === 'chat' ? call.chatId : call.agentId;
    const row = { userId, tool, pin, scope, targetId, createdAt: this.clock.now() };
    await upsertRows(manager, ToolApprovalEntity, [row], ['userId', 'scope', 'targetId', 'tool'], ['pin', 'createdAt']);
  }

  /** Within `Database.write`: deletes the approvals of erased conversations. */
  async forgetChats(manager: EntityManager, userIds: number[], chatIds: number[]): Promise<void> {
    // Filters by users only. With two lists, the database would look up every pair in the index.
    const ofUsers = { userId: In(userIds), scope: 'chat' as const };
    const words = await findRows(manager, ToolApprovalEntity, ofUsers, { members: ['id', 'targetId'] });
    const erased = new Set(chatIds);
    const ids = words.filter(({ targetId }) => erased.has(targetId)).map(({ id }) => id);
    await deleteRows(manager, ToolApprovalEntity, { id: In(ids) });
  }

  /** Deletes an approval. @throws ApprovalNotFoundError */
  async revoke(userId: number, id: number): Promise<void> {
    const removed = await this.database.write((manager) => deleteRows(manager, ToolApprovalEntity, { userId, id }));
    if (removed === 0) {
      throw new ApprovalNotFoundError();
    }
  }
}

function keyOf(tool: string, pin: string | null): string {
  return JSON.stringify([tool, pin]);
}
