import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { RateLimitStorageModule } from '../../common/rate-limit/rate-limit.module';
import { AgentModule } from '../agent/agent.api';
import { ChatModule } from '../chat/chat.api';
import { GenerationModule } from '../generation/generation.api';
import { UserModule } from '../user/user.api';
import { ShareEntity } from './share.entity';
import { SHARE_EVENTS } from './share.events';
import { SharePersonalData } from './share.personal-data';
import { ShareRetention } from './share.retention';
import { SharedController } from './shared.controller';
import { SharedChatsService } from './shared-chats.service';
import { SharesController } from './shares.controller';
import { SharesService } from './shares.service';

/** Links with which others read a conversation, or continue a copy of it. */
@Feature({
  folder: __dirname,
  groups: { Sharing: 'Links that let others read a conversation.' },
  events: SHARE_EVENTS,
  imports: [
    TypeOrmModule.forFeature([ShareEntity]),
    AgentModule,
    ChatModule,
    GenerationModule,
    UserModule,
    RateLimitStorageModule,
  ],
  controllers: [SharesController, SharedController],
  providers: [SharesService, SharedChatsService, SharePersonalData, ShareRetention],
})
export class ShareModule {}
