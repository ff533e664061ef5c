import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Principal } from './principal';

export const TICKET_METADATA = 'takesTicket';

/** The route may be called with a ticket in the query instead of an access token, by clients that cannot set headers. */
export const TakesTicket = (): MethodDecorator =>
  applyDecorators(SetMetadata(TICKET_METADATA, true), ApiSecurity('ticket'));

/** Knows callers by their tickets. The module that gives tickets out provides it. */
export abstract class TicketIdentity {
  /**
   * Who calls with this ticket. Does not use it up: the rate limit comes first.
   *
   * @throws ApiError when it is no valid ticket for this request, or its user may not call any more.
   */
  abstract principalOf(ticket: string, request: Request): Promise<Principal>;
}
