import { type SessionEntity } from './session.entity';

/** A session of the user on one device. */
export class SessionDto {
  /** Id of the session, for DELETE /user/sessions/{id}. @example 7 */
  id: number;

  /** When the user logged in. @example "2026-07-31T12:00:00.000Z" */
  created_at: string;

  /** When the session was last used, exact to a minute. @example "2026-07-31T12:30:00.000Z" */
  last_used_at: string;

  /** IP address of the client at the login. @example "203.0.113.7" */
  ip: string;

  /** The client's user agent. Null if it sent none. @example "Mozilla/5.0" */
  user_agent: string | null;

  /** Whether this request uses the session. @example true */
  current: boolean;
}

export function toSessionDto(session: SessionEntity, currentId: number | null): SessionDto {
  return {
    id: session.id,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    ip: session.address,
    user_agent: session.userAgent,
    current: session.id === currentId,
  };
}
