/** What other modules may use of this one. */
export { ApiKeyModule } from './api-key.module';
export { ApiKeyQuery } from './keys/api-key.query';
export { StreamTicketDto } from './tickets/stream-ticket.dto';
export { StreamTickets } from './tickets/stream-tickets';
export { TicketInvalidError } from './tickets/ticket.errors';
