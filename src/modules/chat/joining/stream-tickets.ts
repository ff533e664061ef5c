import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { Request } from 'express';
import { LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ApiKeyIdentity } from '../../../common/security/api-key-identity';
import type { Principal } from '../../../common/security/principal';
import { TicketIdentity } from '../../../common/security/ticket-identity';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { insertRow } from '../../../database/statements/insert';
import { PrincipalService } from '../../user/user.api';
import { TicketInvalidError } from '../conversations/chat.errors';
import { lastEventOf } from '../reading/stream-format';
import type { StreamTicketDto } from './stream-ticket.dto';
import { UsedTicketEntity } from './used-ticket.entity';

const LIFETIME_SECONDS = 60;

/** The claims in a ticket (RFC 7519 §4.1). */
interface TicketClaims {
  jti: string;
  /** User id, as text. */
  sub: string;
  /** Session id; null when it was made with an API key. */
  sid: number | null;
  /** Id of the API key that it was made with. */
  key?: number;
  /** Conversation id. */
  chat: number;
  exp: number;
}

/**
 * Tickets for the `EventSource` of browsers, which cannot send a token: each opens one stream. Tickets are signed, so any
 * instance can check them. A ticket is stored only when it is used.
 */
@Injectable()
export class StreamTickets extends TicketIdentity {
  constructor(
    private readonly jwt: JwtService,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly principals: PrincipalService,
    private readonly keys: ApiKeyIdentity,
  ) {
    super();
  }

  /** Makes a ticket for a chat. The caller has checked that the user owns the chat. */
  issue({ userId, sessionId, apiKeyId }: Principal, chatId: number): StreamTicketDto {
    const now = Math.floor(this.clock.now().getTime() / 1_000);
    const exp = now + LIFETIME_SECONDS;
    const claims: TicketClaims = {
      jti: randomUUID(),
      sub: String(userId),
      sid: sessionId,
      ...(apiKeyId !== null && { key: apiKeyId }),
      chat: chatId,
      exp,
    };
    return { ticket: this.jwt.sign(claims, { noTimestamp: true }), expires_at: new Date(exp * 1_000).toISOString() };
  }

  /** @throws TicketInvalidError, SessionRevokedError, ApiKeyInvalidError, AccountBannedError */
  async principalOf(ticket: string, request: Request): Promise<Principal> {
    const { sub, sid, key, chat } = this.read(ticket, request);
    if (String(chat) !== request.params.chat_id) {
      throw new TicketInvalidError();
    }
    return key === undefined ? this.principals.resolve(Number(sub), sid ?? 0) : this.keys.principalOfId(key);
  }

  /**
   * Marks the ticket of a request as used. Does nothing for a request with an access token.
   *
   * @throws TicketInvalidError when it has been used.
   */
  async use(request: Request): Promise<void> {
    const { ticket } = request.query;
    if (request.headers.authorization !== undefined || typeof ticket !== 'string') {
      return;
    }
    const { jti, exp } = this.read(ticket, request);
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

  /** An `EventSource` that returns after the end has an expired ticket. It is accepted, to tell the browser of the end. */
  private read(ticket: string, request: Request): TicketClaims {
    try {
      return this.jwt.verify<TicketClaims>(ticket, {
        algorithms: ['HS256'],
        clockTimestamp: this.clock.now().getTime() / 1_000,
        ignoreExpiration: lastEventOf(request)?.isEnd,
      });
    } catch {
      throw new TicketInvalidError();
    }
  }
}
