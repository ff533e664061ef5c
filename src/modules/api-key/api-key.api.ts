/** The exports of this module for other modules. */
export { ApiKeyModule } from './api-key.module';
export { ApiKeyQuery } from './keys/api-key.query';
export { StreamTicketDto } from './tickets/stream-ticket.dto';
export { StreamTickets } from './tickets/stream-tickets';
export { TicketInvalidError } from './tickets/ticket.errors';
