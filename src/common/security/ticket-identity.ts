import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Principal } from './principal';

export const TICKET_METADATA = 'takesTicket';

/** What a ticket gives access to: the replies of one conversation, or the events of its user. */
export type TicketPlace = { readonly chat: number } | { readonly events: true };

/** Returns what the tickets of a route must give access to. */
export type TicketPlaceOf = (request: Request) => TicketPlace;

/**
 * Clients that cannot set headers may call the route with a ticket in the query instead of an access token.
 *
 * @param placeOf what a ticket must give access to, to be valid for this request
 */
export const TakesTicket = (placeOf: TicketPlaceOf): MethodDecorator =>
  applyDecorators(SetMetadata(TICKET_METADATA, placeOf), ApiSecurity('ticket'));

/** Finds the caller of a ticket. The module that issues tickets provides it. */
export abstract class TicketIdentity {
  /**
   * The caller with this ticket. This does not consume the ticket, because the rate limit comes first.
   *
   * @throws ApiError if the ticket is not valid for this place, or its user may no longer call
   */
  abstract principalOf(ticket: string, place: TicketPlace, request: Request): Promise<Principal>;
}
