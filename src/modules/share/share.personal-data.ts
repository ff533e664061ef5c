import { Injectable } from '@nestjs/common';
import { PersonalDataRegistry } from '../user/user.api';
import { toShareDto } from './share.dto';
import { ShareEntity } from './share.entity';

/** The module's personal data of a user: the links to conversations, without their tokens. */
@Injectable()
export class SharePersonalData {
  constructor(registry: PersonalDataRegistry) {
    registry.register({
      name: 'shares',
      entities: [ShareEntity],
      rows: (userId) =>
        registry.read(ShareEntity, userId, (share) => ({
          ...toShareDto(share),
          chat_id: share.chatId,
          ended_at: share.endedAt?.toISOString() ?? null,
        })),
      erase: (userId) => registry.delete(ShareEntity, userId),
    });
  }
}
