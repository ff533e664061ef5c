import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { AgentGroups } from './agent-groups';

/** `auto`: its calls run immediately; `ask`: each call needs approval; `deny`: it is not offered. */
export const TOOL_POLICIES = ['auto', 'ask', 'deny'] as const;

export type ToolPolicy = (typeof TOOL_POLICIES)[number];

/** `user`, `admin`, or `group:` and the id of a group. */
export const APPROVER = /^(?:user|admin|group:([1-9]\d{0,8}))$/;

/** A tool that an agent may call. Defaults: the tool's own policy, and the user as approver. */
export interface AgentToolUse {
  name: string;
  policy?: ToolPolicy;
  approver?: string;
}

/** Access to the tools that agents can use. */
export interface ToolDirectory {
  has(name: string): Promise<boolean>;
}

/** Checks which tools agents may refer to. Another module manages the tools, so that agents do not depend on it. */
@Injectable()
export class AgentTools {
  private directory: ToolDirectory = { has: () => Promise.resolve(false) };

  constructor(private readonly groups: AgentGroups) {}

  /** For the module that manages tools; call it in a constructor. */
  useDirectory(directory: ToolDirectory): void {
    this.directory = directory;
  }

  /**
   * Call it in the transaction that writes the agent, because it locks the approver groups.
   *
   * @throws ValidationFailedError for a tool or a group that does not exist
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
