import { Injectable } from '@nestjs/common';
import { PersonalDataRegistry } from '../user/user.api';
import { ReplyStopper } from './elsewhere/reply-stopper';
import { GenerationEntity } from './generation.entity';
import { IdempotencyKeyEntity } from './idempotency/idempotency-key.entity';
import { ReplyPlaces } from './reply/reply-places';

/** What the engine stores about a user for a day: replies that no conversation has, and the keys of repeated requests. */
@Injectable()
export class GenerationPersonalData {
  constructor(
    private readonly places: ReplyPlaces,
    private readonly stopper: ReplyStopper,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'generations',
      entities: [GenerationEntity],
      rows: (userId) => registry.read(GenerationEntity, userId, toGenerationRow),
      settle: (userId) => this.stopReplies(userId),
      erase: (userId) => registry.delete(GenerationEntity, userId),
    });
    registry.register({
      name: 'request_keys',
      entities: [IdempotencyKeyEntity],
      rows: (userId) => registry.read(IdempotencyKeyEntity, userId, toKeyRow),
      erase: (userId) => registry.delete(IdempotencyKeyEntity, userId),
    });
  }

  /** Where nothing is kept for days, a reply that ran when the account was closed may still be ending. It is counted first. */
  private async stopReplies(userId: number): Promise<void> {
    for (const place of this.places.all) {
      for (const messageId of await place.runningOf(userId)) {
        await this.stopper.stop(messageId);
      }
    }
  }
}

function toGenerationRow({ id, agentId, apiKeyId, status, content, reasoning, createdAt }: GenerationEntity): object {
  return {
    id,
    agent_id: agentId,
    api_key_id: apiKeyId,
    status,
    content,
    reasoning,
    created_at: createdAt.toISOString(),
  };
}

function toKeyRow({ key, createdAt }: IdempotencyKeyEntity): object {
  return { key, created_at: createdAt.toISOString() };
}
