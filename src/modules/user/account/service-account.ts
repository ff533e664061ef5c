import { randomUUID } from 'node:crypto';

/**
 * The address of a new service account. Accounts need one, and clients expect one: this one belongs to nobody, because no
 * name below `invalid` can exist (RFC 6761 §6.4). `MailQueue` drops what is written to it.
 */
export function serviceAddress(): string {
  return `${randomUUID()}@service.invalid`;
}
