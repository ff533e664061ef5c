import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Attention } from '../../common/attention/attention';
import type { Principal } from '../../common/security/principal';
import type { RequestContext } from '../../common/security/request-context';
import { type AttentionItemDto, toAttentionItemDto } from '../admin/admin.api';
import { type AgentDto, AgentService, AgentView } from '../agent/agent.api';
import { AdministratorSetup, FeaturePages } from '../auth/auth.api';
import { OwnBudgetsService } from '../budget/budget.api';
import { ActionsService, ChatReadService } from '../chat/chat.api';
import { EventFeedService } from '../event-feed/event-feed.api';
import { SignInWays } from '../identity/identity.api';
import { UsageStatisticsService } from '../usage/usage.api';
import { SettingsService, UserService } from '../user/user.api';
import type { BootstrapDto, FirstChatsDto, SignInPageDto } from './bootstrap.dto';

/** Most conversations, and most pending actions, as in one response of their routes. */
const FIRST = { limit: 100, offset: 0 };

const OPEN_CHATS = { ...FIRST, is_archived: false, include_messages: false };

/** Combines the data of several routes for pages. */
@Injectable()
export class BootstrapService {
  constructor(
    private readonly users: UserService,
    private readonly settings: SettingsService,
    private readonly usage: UsageStatisticsService,
    private readonly budgets: OwnBudgetsService,
    private readonly attention: Attention,
    private readonly agents: AgentService,
    private readonly shown: AgentView,
    private readonly chats: ChatReadService,
    private readonly actions: ActionsService,
    private readonly feeds: EventFeedService,
    private readonly ways: SignInWays,
    private readonly setup: AdministratorSetup,
    private readonly pages: FeaturePages,
  ) {}

  async of({ principal, language }: RequestContext): Promise<BootstrapDto> {
    const { userId } = principal;
    // Changes before the feed's place must be in the data, so the place is read first.
    const events = await this.feeds.entrance(principal);
    const [me, quota, budgets, branding, attention, agents, chats, actions] = await Promise.all([
      this.users.describe(userId),
      this.usage.quota(userId, principal.tier),
      this.budgets.of(principal),
      this.settings.branding(),
      this.attentionFor(principal),
      this.agentsFor(principal),
      this.firstChats(userId),
      this.actions.ofUser(principal, FIRST),
    ]);
    const pages = this.pages.list(language);
    return { me, quota, budgets, branding, attention, agents, chats, actions: actions.items, pages, events };
  }

  async signInPage(request: Request): Promise<SignInPageDto> {
    const [branding, signIn, setup] = await Promise.all([
      this.settings.branding(),
      this.ways.describe(),
      this.setup.status(request),
    ]);
    return { branding, sign_in: signIn, setup };
  }

  private async attentionFor({ userType }: Principal): Promise<AttentionItemDto[] | null> {
    return userType === 'admin' ? (await this.attention.items()).map(toAttentionItemDto) : null;
  }

  private async agentsFor(principal: Principal): Promise<AgentDto[]> {
    return (await this.agents.listActive(principal)).map((agent) => this.shown.shared(agent));
  }

  private async firstChats(userId: number): Promise<FirstChatsDto> {
    const { items, total } = await this.chats.list(userId, OPEN_CHATS);
    // Pages show pinned ones above all others, however long ago they changed.
    const pinned =
      items.length === FIRST.limit ? await this.chats.list(userId, { ...OPEN_CHATS, is_pinned: true }) : null;
    const shown = new Set(items.map(({ chat }) => chat.id));
    const others = (pinned?.items ?? []).filter(({ chat }) => !shown.has(chat.id));
    return { items: items.map(({ chat }) => chat), total, pinned: others.map(({ chat }) => chat) };
  }
}
