import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { AgentService } from '../../agent/agent.api';
import { GenerationEntity } from '../generation.entity';
import { NO_OPTIONS } from '../reply/generation-options';
import type { GenerationTask } from '../reply/generation-task';
import type { AbandonedReply, OnlyAbandoned, ReplyPlace } from '../reply/reply-origin';
import { ReplyPlaces } from '../reply/reply-places';
import { isCompaction } from '../reply/reply-steps';
import { StatelessOrigin } from './stateless-origin';

/** The replies that no conversation has. */
@Injectable()
export class GenerationPlace implements ReplyPlace {
  readonly entity = GenerationEntity;
  readonly table = 'generations';
  readonly countRunning = "SELECT COUNT(*) FROM generations WHERE status = 'streaming' AND user_id = ?";

  constructor(
    private readonly database: Database,
    private readonly agents: AgentService,
    places: ReplyPlaces,
  ) {
    places.add(this);
  }

  titleOf(): Promise<null> {
    return Promise.resolve(null);
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  async runningOf(userId: number): Promise<number[]> {
    const running = await this.database
      .repository(GenerationEntity)
      .find({ select: { id: true }, where: { userId, status: 'streaming' } });
    return running.map(({ id }) => id);
  }

  async abandoned(onlyAbandoned: OnlyAbandoned): Promise<AbandonedReply[]> {
    const streaming = this.database
      .repository(GenerationEntity)
      .createQueryBuilder('generation')
      .where("generation.status = 'streaming'");
    const rows = await onlyAbandoned(streaming, 'generation').getMany();
    return rows.map((row) => ({ messageId: row.id, ownerId: row.ownerId, rebuild: () => this.rebuild(row) }));
  }

  private async rebuild(row: GenerationEntity): ReturnType<AbandonedReply['rebuild']> {
    const { userId, apiKeyId, agentId, promptTokens, isRepeatable, steps, createdAt } = row;
    const agent = (await this.agents.findManyForDisplay([agentId])).get(agentId);
    if (agent === undefined) {
      throw new Error(`The agent ${agentId} is not there.`);
    }
    const task: GenerationTask = {
      userId,
      tier: 'normal',
      apiKeyId,
      tokensPerDay: null,
      agent,
      language: null,
      customInstructions: '',
      messages: isCompaction(row) ? 0 : 2,
      endsWithReaders: false,
      // What the program asked for is not stored, but the tokens of it were estimated when it came.
      options: steps === null ? null : NO_OPTIONS,
      startedAt: createdAt,
      requestId: null,
    };
    return { row, task, origin: new StatelessOrigin(this, [], isRepeatable, promptTokens) };
  }
}
