import { AccountDto } from '../../user/user.api';

/** An account as administrators see it. */
export class AdminUserDto extends AccountDto {
  /**
   * `suspended` by the directory of an identity provider; `closed` until the erasure, as long as the account can be opened again.
   * @example "active"
   */
  status: 'active' | 'banned' | 'suspended' | 'closed';

  /** When its content is erased; only for closed accounts. @example "2026-08-07T12:00:00.000Z" */
  erase_at?: string;

  /** Why the account is banned; null when it is not. @example "Sends spam." */
  ban_reason: string | null;

  /** End of the ban; null if it has no end, or without a ban. @example "2027-01-31T12:00:00.000Z" */
  banned_until: string | null;

  /** Messages per UTC day instead of the plan's; null: the plan's. @example 200 */
  quota_messages: number | null;

  /** Tokens per UTC day instead of the plan's; null: the plan's. @example 500000 */
  quota_tokens: number | null;

  /** Bytes of files and items instead of the plan's; null: the plan's. @example 1073741824 */
  quota_storage: number | null;

  /** Whether a password or a code of ours opens the account. @example true */
  local_login: boolean;

  /** A note of administrators; the user never sees it; null: none. @example "Asked for an invoice." */
  note: string | null;

  /** Chats ever created. @example 12 */
  chats: number;

  /** Messages ever stored, the user's and the replies. @example 128 */
  messages: number;

  /** Tokens of all replies, prompts included. @example 51234 */
  tokens: number;

  /** Exact to a minute or two while logged in, afterwards the login or the day of the last message. @example "2026-07-31T12:00:00.000Z" */
  last_activity_at: string | null;
}

/** An account, and whether a ban was lifted. */
export class UnbannedUserDto extends AdminUserDto {
  /** False: no ban was in force. @example true */
  unbanned: boolean;
}

/** An account, and how many logins were ended. */
export class LoggedOutUserDto extends AdminUserDto {
  /** Logins that were ended. @example 2 */
  sessions_ended: number;
}

/** An account, and whether it was opened again. */
export class RestoredUserDto extends AdminUserDto {
  /** False: the account was not closed. @example true */
  restored: boolean;
}
/** The columns of the users as a file. */
export const ADMIN_USER_FIELDS = [
  'id',
  'username',
  'email',
  'user_type',
  'membership_type',
  'membership_expires_at',
  'status',
  'language',
  'last_login_at',
  'created_at',
  'updated_at',
  'ban_reason',
  'banned_until',
  'quota_messages',
  'quota_tokens',
  'quota_storage',
  'local_login',
  'note',
  'chats',
  'messages',
  'tokens',
  'last_activity_at',
] as const satisfies readonly (keyof AdminUserDto)[];
