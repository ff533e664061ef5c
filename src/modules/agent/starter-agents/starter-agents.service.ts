import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../database/database';
import { rowExists } from '../../../database/statements/find';
import { AgentEntity } from '../catalogue/agent.entity';
import { AgentNameTakenError } from '../catalogue/agent.errors';
import { AVATAR_PATH } from '../catalogue/agent-avatars';
import { AgentStore } from '../editing/agent.store';
import { DEFAULT_DEFINITION } from '../editing/agent-definition';
import { CODE_ASSISTANT } from './code-assistant';
import { GENERAL_ASSISTANT } from './general-assistant';
import { PLANNER } from './planner';
import { TRANSLATOR } from './translator';
import { WRITING_ASSISTANT } from './writing-assistant';

const STARTER_AGENTS = [GENERAL_ASSISTANT, WRITING_ASSISTANT, TRANSLATOR, CODE_ASSISTANT, PLANNER];

/**
 * Adds the first agents to a fresh installation. If there is or was any agent, it does nothing.
 *
 * Each agent is a file of this folder, in the form of `starter-agent.ts`. Start here: the list above names all of them.
 */
@Injectable()
export class StarterAgentsService {
  private readonly logger = new Logger(StarterAgentsService.name);

  constructor(
    private readonly database: Database,
    private readonly store: AgentStore,
  ) {
    database.onReady(() => this.addToFreshInstallation());
  }

  private async addToFreshInstallation(): Promise<void> {
    if (await rowExists(this.database.manager, AgentEntity, {}, { withDeleted: true })) {
      return;
    }
    try {
      await this.store.write(async (manager) => {
        for (const [index, agent] of STARTER_AGENTS.entries()) {
          const avatar = `${AVATAR_PATH}/${agent.avatar}`;
          // The same ids everywhere, also where those of the database are not one apart: examples name them.
          await this.store.create(manager, { ...DEFAULT_DEFINITION, ...agent, avatar, id: index + 1 }, null);
        }
      });
      this.logger.log({ agents: STARTER_AGENTS.length }, 'Added the first agents.');
    } catch (error) {
      // Another instance that started at the same time was faster.
      if (!(error instanceof AgentNameTakenError)) {
        throw error;
      }
    }
  }
}
