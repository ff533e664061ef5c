import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { AgentGroups } from './agent-groups';

/** `auto`: its calls run at once; `ask`: a person is asked before each of them; `deny`: it is not offered. */
export const TOOL_POLICIES = ['auto', 'ask', 'deny'] as const;

export type ToolPolicy = (typeof TOOL_POLICIES)[number];

/** `user`, `admin`, or `group:` and the id of a group. */
export const APPROVER = /^(?:user|admin|group:([1-9]\d{0,8}))$/;

/** A tool that an agent may call. Absent members: as the tool itself says, and the user. */
export interface AgentToolUse {
  name: string;
  policy?: ToolPolicy;
  approver?: string;
}

/** Who knows the tools that agents can be given. */
export interface ToolDirectory {
  has(name: string): Promise<boolean>;
}

/** Checks which tools agents may name. Another module knows the tools: agents know nobody. */
@Injectable()
export class AgentTools {
  private directory: ToolDirectory = { has: () => Promise.resolve(false) };

  constructor(private readonly groups: AgentGroups) {}

  /** For the module that knows tools; call it in a constructor. */
  useDirectory(directory: ToolDirectory): void {
    this.directory = directory;
  }

  /**
   * Call it in the transaction that writes the agent: it locks the groups that approve.
   *
   * @throws ValidationFailedError for a tool or a group that is not there
   */
  async require(manager: EntityManager, tools: readonly AgentToolUse[]): Promise<void> {
    for (const [index, { name, approver }] of tools.entries()) {
      if (!(await this.directory.has(name))) {
        throw ValidationFailedError.of(`tools.${index}.name`, 'not_offered');
      }
      const [, groupId] = APPROVER.exec(approver ?? '') ?? [];
      if (groupId !== undefined) {
        await this.groups.hold(manager, [Number(groupId)], `tools.${index}.approver`);
      }
    }
  }
}
