import { ApiProperty } from '@nestjs/swagger';
import type { SessionEntity } from './session.entity';
import type { SessionKind } from './session.service';

export const SESSION_KINDS = ['browser', 'device'] as const satisfies SessionKind[];

/** The program of a session. A program sends its own names, so they prove nothing. */
export class SessionClientDto {
  /** `client_id` of a command-line program. Null for a browser, and if it sent none. @example "chat-service-client" */
  client_id: string | null;

  /** Kind of a command-line program. Null for a browser, and if it sent none. @example "claude_code" */
  surface: string | null;

  /** Name of the computer of a command-line program. Null for a browser, and if it sent none. @example "ada-laptop" */
  device_name: string | null;

  /** The client's user agent. Null if it sent none. @example "Mozilla/5.0" */
  user_agent: string | null;
}

/** A session of the user: a login in a browser, or an approved command-line program. */
export class SessionDto {
  /** Id of the session, for DELETE /user/sessions/{id}. @example 7 */
  id: number;

  /** `device`: a command-line program. @example "browser" */
  @ApiProperty({ enum: SESSION_KINDS })
  kind: SessionKind;

  /** The program that uses the session. */
  client: SessionClientDto;

  /** Scopes of a device session. Null for a browser, which may do everything. @example null */
  @ApiProperty({ type: [String], nullable: true })
  scopes: string[] | null;

  /** When the user logged in or approved the program. @example "2026-07-31T12:00:00.000Z" */
  created_at: string;

  /** When the session was last used, exact to a minute. Null if never. @example "2026-07-31T12:30:00.000Z" */
  last_used_at: string | null;

  /** IP address of the client at the login, or of the program at its request. @example "203.0.113.7" */
  address: string;

  /** The same as `address`. @example "203.0.113.7" */
  ip: string;

  /** The client's user agent. Null if it sent none. @example "Mozilla/5.0" */
  user_agent: string | null;

  /** Whether this request uses the session. @example true */
  current: boolean;
}

/** Describes a session for its user or an administrator. */
export function describeSession(session: SessionEntity): Omit<SessionDto, 'current' | 'ip' | 'user_agent'> {
  const { scope, clientId, surface, deviceName, userAgent, address, createdAt, lastUsedAt } = session;
  // An approved program may never fetch its tokens. Until it does, both times are equal.
  const isUnused = scope !== null && lastUsedAt.getTime() === createdAt.getTime();
  return {
    id: session.id,
    kind: scope === null ? 'browser' : 'device',
    client: { client_id: clientId, surface, device_name: deviceName, user_agent: userAgent },
    scopes: scope?.split(' ') ?? null,
    created_at: createdAt.toISOString(),
    last_used_at: isUnused ? null : lastUsedAt.toISOString(),
    address,
  };
}

export function toSessionDto(session: SessionEntity, currentId: number | null): SessionDto {
  return {
    ...describeSession(session),
    ip: session.address,
    user_agent: session.userAgent,
    current: session.id === currentId,
  };
}
