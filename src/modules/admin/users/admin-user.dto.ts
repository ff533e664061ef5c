import { UserDto } from '../../user/dto/user.dto';

/** An account as administrators see it. */
export class AdminUserDto extends UserDto {
  /** Why the account is banned; null when it is not. @example "Sends spam." */
  ban_reason: string | null;

  /** End of the ban; null for one without end, and without a ban. @example "2027-01-31T12:00:00.000Z" */
  banned_until: string | null;

  /** Messages a UTC day instead of the plan's number; null: the plan's. @example 200 */
  quota_messages: number | null;

  /** Tokens a UTC day instead of the plan's number; null: the plan's. @example 500000 */
  quota_tokens: number | null;

  /** What administrators note; the user never sees it; null: nothing. @example "Asked for an invoice." */
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
