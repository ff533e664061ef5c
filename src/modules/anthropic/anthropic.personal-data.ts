import { Injectable } from '@nestjs/common';
import { PersonalDataRegistry } from '../user/user.api';
import { AnthropicAnswerEntity } from './repeating/answer.entity';

/** Responses in one batch. One may have eight megabytes. */
const ANSWERS_AT_ONCE = 2;

/** Exports and erases a user's data in this module: the responses for repeated requests. */
@Injectable()
export class AnthropicPersonalData {
  constructor(registry: PersonalDataRegistry) {
    registry.register({
      name: 'anthropic_answers',
      entities: [AnthropicAnswerEntity],
      rows: (userId) => registry.read(AnthropicAnswerEntity, userId, toRow, ANSWERS_AT_ONCE),
      erase: (userId) => registry.delete(AnthropicAnswerEntity, userId),
    });
  }
}

function toRow({ key, contentType, requestId, body, createdAt }: AnthropicAnswerEntity): object {
  return {
    idempotency_key: key,
    request_id: requestId,
    content_type: contentType,
    body: body === null ? null : Buffer.from(body).toString('utf8'),
    created_at: createdAt.toISOString(),
  };
}
