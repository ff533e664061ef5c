import { Feature } from '../../common/features/feature.decorator';
import { AgentModule } from '../agent/agent.api';
import { AuthModule } from '../auth/auth.api';
import { BudgetModule } from '../budget/budget.api';
import { ChatModule } from '../chat/chat.api';
import { EventFeedModule } from '../event-feed/event-feed.api';
import { IdentityModule } from '../identity/identity.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { BootstrapController } from './bootstrap.controller';
import { BootstrapService } from './bootstrap.service';
import { SignInPageController } from './sign-in-page.controller';

/** One response for a loading page, instead of one from each module. */
@Feature({
  imports: [
    UserModule,
    AuthModule,
    IdentityModule,
    AgentModule,
    UsageModule,
    BudgetModule,
    ChatModule,
    EventFeedModule,
  ],
  controllers: [BootstrapController, SignInPageController],
  providers: [BootstrapService],
})
export class BootstrapModule {}
