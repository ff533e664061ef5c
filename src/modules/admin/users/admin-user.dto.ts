import { AccountDto } from '../../user/user.api';

/** An account for administrators. */
export class AdminUserDto extends AccountDto {
  /**
   * `suspended`: by the directory of an identity provider; `closed`: closed but not yet erased, so it can be restored.
   * @example "active"
   */
  status: 'active' | 'banned' | 'suspended' | 'closed';

  /** When the content will be erased. Only for closed accounts. @example "2026-08-07T12:00:00.000Z" */
  erase_at?: string;

  /**
   * `due`: closed, and erased at `erase_at`; `held`: its day has come, but a legal hold keeps it. It cannot be restored.
   * @example "none"
   */
  erasure: 'none' | 'due' | 'held';

  /** Ids of the active legal holds that cover the user. @example [] */
  on_hold: number[];

  /** Why the account is banned. Null if it is not. @example "Sends spam." */
  ban_reason: string | null;

  /** End of the ban. Null if it has no end, or if there is no ban. @example "2027-01-31T12:00:00.000Z" */
  banned_until: string | null;

  /** Messages per UTC day. Null if the plan's limit applies. @example 200 */
  quota_messages: number | null;

  /** Tokens per UTC day. Null if the plan's limit applies. @example 500000 */
  quota_tokens: number | null;

  /** Bytes of files and items. Null if the plan's limit applies. @example 1073741824 */
  quota_storage: number | null;

  /** Tokens that are embedded per UTC day. Null if the plan's limit applies. @example 2000000 */
  quota_embedding_tokens: number | null;

  /** Whether the user can sign in with a password or code. @example true */
  local_login: boolean;

  /**
   * User type granted by the groups of an identity provider, as long as the user is in them. Null if the account’s own
   * type applies.
   * @example null
   */
  mapped_user_type: 'normal' | 'admin' | 'service' | null;

  /** Plan granted by the groups of an identity provider. Null if the account’s own plan applies. @example "yearly" */
  mapped_membership_type: 'free' | 'monthly' | 'yearly' | null;

  /** Administrators' note, which the user never sees. Null if there is none. @example "Asked for an invoice." */
  note: string | null;

  /** Chats ever created. @example 12 */
  chats: number;

  /** Messages ever stored, both the user's and the replies. @example 128 */
  messages: number;

  /** Tokens of all replies, including prompts. @example 51234 */
  tokens: number;

  /**
   * Exact within two minutes while the user is logged in. Afterwards the last login, or the day of the last message.
   * @example "2026-07-31T12:00:00.000Z"
   */
  last_activity_at: string | null;
}

/** An account after lifting its ban. */
export class UnbannedUserDto extends AdminUserDto {
  /** False if the account was not banned. @example true */
  unbanned: boolean;
}

/** An account after lifting its suspension. */
export class ReinstatedUserDto extends AdminUserDto {
  /** False if the account was not suspended. @example true */
  reinstated: boolean;
}

/** An account after ending its sessions. */
export class LoggedOutUserDto extends AdminUserDto {
  /** Number of ended sessions. @example 2 */
  sessions_ended: number;
}

/** An account after restoring it. */
export class RestoredUserDto extends AdminUserDto {
  /** False if the account was not closed. @example true */
  restored: boolean;
}
/** Columns of the CSV file of users. */
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
  'quota_embedding_tokens',
  'local_login',
  'mapped_user_type',
  'mapped_membership_type',
  'note',
  'chats',
  'messages',
  'tokens',
  'last_activity_at',
  'erasure',
  'on_hold',
] as const satisfies readonly (keyof AdminUserDto)[];
