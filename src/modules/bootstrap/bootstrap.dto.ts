import type { AttentionItemDto } from '../admin/admin.api';
import type { AgentDto } from '../agent/agent.api';
import type { FeaturePageDto, SetupStatusDto } from '../auth/auth.api';
import type { OwnBudgetDto } from '../budget/budget.api';
import type { ActionDto, ChatDto } from '../chat/chat.api';
import type { FeedEntranceDto } from '../event-feed/event-feed.api';
import type { SignInProvidersDto } from '../identity/identity.api';
import type { QuotaDto } from '../usage/usage.api';
import type { BrandingDto, UserDto } from '../user/user.api';

/** The conversations that a page shows first. */
export class FirstChatsDto {
  /** Same as GET /chat?is_archived=false&limit=100. */
  items: ChatDto[];

  /** Number of conversations that are not archived. @example 1 */
  total: number;

  /** Pinned ones that are not among `items`, from GET /chat?is_archived=false&is_pinned=true&limit=100. */
  pinned: ChatDto[];
}

/** The data that a signed-in page needs when it loads. */
export class BootstrapDto {
  /** Same as GET /auth/me. */
  me: UserDto;

  /** Same as GET /user/quota. */
  quota: QuotaDto;

  /** Same as GET /user/budget. */
  budgets: OwnBudgetDto[];

  /** Same as GET /branding. */
  branding: BrandingDto;

  /** Same as `data` of GET /admin/attention; null: the caller is not an administrator. */
  attention: AttentionItemDto[] | null;

  /** Same as GET /chat/agents/active. */
  agents: AgentDto[];

  /** The first page of the conversations. */
  chats: FirstChatsDto;

  /** Same as GET /user/actions?limit=100. */
  actions: ActionDto[];

  /** Same as GET /pages. */
  pages: FeaturePageDto[];

  /** Opens GET /events. */
  events: FeedEntranceDto;
}

/** The data that a page needs before sign-in. */
export class SignInPageDto {
  /** Same as GET /branding. */
  branding: BrandingDto;

  /** Same as GET /auth/providers. */
  sign_in: SignInProvidersDto;

  /** Same as GET /setup. */
  setup: SetupStatusDto;
}
