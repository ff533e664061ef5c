import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Principal } from './principal';

export const TICKET_METADATA = 'takesTicket';

/** Clients that cannot set headers may call the route with a ticket in the query instead of an access token. */
export const TakesTicket = (): MethodDecorator =>
  applyDecorators(SetMetadata(TICKET_METADATA, true), ApiSecurity('ticket'));

/** Finds the caller of a ticket. The module that issues tickets provides it. */
export abstract class TicketIdentity {
  /**
   * The caller with this ticket. This does not use the ticket up, because the rate limit comes first.
   *
   * @throws ApiError when the ticket is not valid for this request, or its user may not call any more.
   */
  abstract principalOf(ticket: string, request: Request): Promise<Principal>;
}
