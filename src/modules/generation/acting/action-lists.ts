import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import type { ListPart } from '../../../common/envelope/total-count';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { findPage, findRows } from '../../../database/statements/find';
import type { Where } from '../../../database/statements/row-condition';
import type { ShownAction } from './shown-action';
import { type ActionState, ToolActionEntity } from './tool-action.entity';
import { ToolRunStore } from './tool-run.store';

/** Which part of a list. */
export interface ListedPart {
  limit: number;
  offset: number;
}

/** Actions, the newest first. */
@Injectable()
export class ActionLists {
  constructor(
    private readonly database: Database,
    private readonly runs: ToolRunStore,
  ) {}

  ofChat(chatId: number, state: ActionState, part: ListedPart): Promise<ListPart<ShownAction>> {
    return this.list({ chatId, state }, part);
  }

  /** Their own, and those of others that they may decide. */
  ofUser(principal: Principal, state: ActionState, part: ListedPart): Promise<ListPart<ShownAction>> {
    const { userId, groupIds, userType, apiKeyId } = principal;
    const approvers = [...groupIds.map((id) => `group:${id}`), ...(userType === 'admin' ? ['admin'] : [])];
    const others = approvers.map((approver) => ({ userId: Not(userId), approver, state }));
    return this.list([{ userId, state }, ...(apiKeyId === null ? others : [])], part);
  }

  /** Everything that people were asked about calls of these replies, in the order in which it was asked. */
  async ofMessages(messageIds: readonly number[]): Promise<ShownAction[]> {
    if (messageIds.length === 0) {
      return [];
    }
    return this.ofRows({ messageId: In([...messageIds]) });
  }

  /** Whether calls of a reply may be made: what was asked, open or not. */
  ofReply(messageId: number): Promise<ShownAction[]> {
    return this.ofRows({ messageId, kind: 'approve' });
  }

  private async ofRows(where: Where<ToolActionEntity>): Promise<ShownAction[]> {
    return this.runs.withCalls(
      await findRows(this.database.manager, ToolActionEntity, where, { order: { id: 'ASC' } }),
    );
  }

  all(state: ActionState, part: ListedPart): Promise<ListPart<ShownAction>> {
    return this.list({ state }, part);
  }

  private async list(where: Where<ToolActionEntity>, { limit, offset }: ListedPart): Promise<ListPart<ShownAction>> {
    const options = { order: { id: 'DESC' }, limit, offset } as const;
    const { items, total } = await findPage(this.database.manager, ToolActionEntity, where, options);
    return { items: await this.runs.withCalls(items), total };
  }
}
