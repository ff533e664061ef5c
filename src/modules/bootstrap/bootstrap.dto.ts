import type { AttentionItemDto } from '../admin/admin.api';
import type { AgentDto } from '../agent/agent.api';
import type { SetupStatusDto } from '../auth/auth.api';
import type { OwnBudgetDto } from '../budget/budget.api';
import type { ActionDto, ChatDto } from '../chat/chat.api';
import type { FeedEntranceDto } from '../event-feed/event-feed.api';
import type { SignInProvidersDto } from '../identity/identity.api';
import type { QuotaDto } from '../usage/usage.api';
import type { BrandingDto, UserDto } from '../user/user.api';

/** The conversations that a page shows first. */
export class FirstChatsDto {
  /** As GET /chat?is_archived=false&limit=100. */
  items: ChatDto[];

  /** All that are not archived. @example 1 */
  total: number;

  /** Pinned ones that are not among `items`, as GET /chat?is_archived=false&is_pinned=true&limit=100. */
  pinned: ChatDto[];
}

/** What a page of a signed-in person needs when it is loaded. */
export class BootstrapDto {
  /** As GET /auth/me. */
  me: UserDto;

  /** As GET /user/quota. */
  quota: QuotaDto;

  /** As GET /user/budget. */
  budgets: OwnBudgetDto[];

  /** As GET /branding. */
  branding: BrandingDto;

  /** As `data` of GET /admin/attention; null: the caller is not an administrator. */
  attention: AttentionItemDto[] | null;

  /** As GET /chat/agents/active. */
  agents: AgentDto[];

  /** The first page of the conversations. */
  chats: FirstChatsDto;

  /** As GET /user/actions?limit=100. */
  actions: ActionDto[];

  /** Opens GET /events. */
  events: FeedEntranceDto;
}

/** What a page needs before anybody is signed in. */
export class SignInPageDto {
  /** As GET /branding. */
  branding: BrandingDto;

  /** As GET /auth/providers. */
  sign_in: SignInProvidersDto;

  /** As GET /setup. */
  setup: SetupStatusDto;
}
