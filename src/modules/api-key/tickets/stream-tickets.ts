import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { Request } from 'express';
import { LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ApiKeyIdentity } from '../../../common/security/api-key-identity';
import type { Principal } from '../../../common/security/principal';
import { TicketIdentity, type TicketPlace } from '../../../common/security/ticket-identity';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { insertRow } from '../../../database/statements/insert';
import { PrincipalService } from '../../user/user.api';
import type { StreamTicketDto } from './stream-ticket.dto';
import { TicketInvalidError } from './ticket.errors';
import { UsedTicketEntity } from './used-ticket.entity';

const LIFETIME_SECONDS = 60;

/** The claims in a ticket (RFC 7519 §4.1). */
interface TicketClaims {
  jti: string;
  /** User id, as text. */
  sub: string;
  /** Session id; null if it was issued to an API key. */
  sid: number | null;
  /** Hash of the API key to which it was issued. */
  secret?: string;
  /** Conversation id, if the ticket is for its replies. */
  chat?: number;
  /** Set if the ticket is for events. */
  events?: true;
  exp: number;
}

/**
 * Tickets for the `EventSource` of browsers, which cannot send a token. Each opens one stream. Tickets are signed, so
 * any instance can verify them. A ticket is stored only when it is used.
 */
@Injectable()
export class StreamTickets extends TicketIdentity {
  private readonly logger = new Logger(StreamTickets.name);

  constructor(
    private readonly jwt: JwtService,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly principals: PrincipalService,
    private readonly keys: ApiKeyIdentity,
    background: BackgroundWork,
  ) {
    super();
    background.add({
      step: () => this.purge().then(() => null),
      onError: (error) => this.logger.warn({ error }, 'Expired tickets could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /** Issues a ticket. The caller has verified that the user owns the conversation. */
  issue({ userId, sessionId, apiKeyHash }: Principal, place: TicketPlace): StreamTicketDto {
    const now = Math.floor(this.clock.now().getTime() / 1_000);
    const exp = now + LIFETIME_SECONDS;
    const claims: TicketClaims = {
      jti: randomUUID(),
      sub: String(userId),
      sid: sessionId,
      ...(apiKeyHash !== null && { secret: apiKeyHash }),
      ...place,
      exp,
    };
    return { ticket: this.jwt.sign(claims, { noTimestamp: true }), expires_at: new Date(exp * 1_000).toISOString() };
  }

  /** @throws TicketInvalidError, SessionRevokedError, ApiKeyInvalidError, AccountBannedError */
  async principalOf(ticket: string, place: TicketPlace, request: Request): Promise<Principal> {
    const { sub, sid, secret, ...claims } = this.read(ticket, 'chat' in place && isBehindEnd(request));
    if (!Object.entries(place).every(([name, value]) => claims[name as keyof typeof claims] === value)) {
      throw new TicketInvalidError();
    }
    return secret === undefined ? this.principals.resolve(Number(sub), sid ?? 0) : this.keys.principalOfHash(secret);
  }

  /**
   * Marks the ticket of a request as used. Does nothing for a request with an access token.
   *
   * @throws TicketInvalidError if it has been used
   */
  async use(request: Request): Promise<void> {
    const { ticket } = request.query;
    if (request.headers.authorization !== undefined || typeof ticket !== 'string') {
      return;
    }
    const { jti, exp } = this.read(ticket, false);
    try {
      const row = { id: jti, expiresAt: new Date(exp * 1_000) };
      await this.database.write((manager) => insertRow(manager, UsedTicketEntity, row));
    } catch (error) {
      throw isUniqueViolation(error) ? new TicketInvalidError() : error;
    }
  }

  /** Deletes the marks of tickets that have expired. */
  async purge(): Promise<void> {
    const expiresAt = LessThanOrEqual(this.clock.now());
    await this.database.write((manager) => deleteRows(manager, UsedTicketEntity, { expiresAt }));
  }

  /**
   * @param isBehindEnd an `EventSource` that returns after the end has an expired ticket; it is accepted, to report the
   * end
   */
  private read(ticket: string, isBehindEnd: boolean): TicketClaims {
    try {
      return this.jwt.verify<TicketClaims>(ticket, {
        algorithms: ['HS256'],
        clockTimestamp: this.clock.now().getTime() / 1_000,
        ignoreExpiration: isBehindEnd,
      });
    } catch {
      throw new TicketInvalidError();
    }
  }
}

/** Whether the client has read a reply to its end, according to the id of its last event. */
function isBehindEnd({ headers }: Request): boolean {
  return /^\d{1,15}-end$/.test(String(headers['last-event-id']));
}
