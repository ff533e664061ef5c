import { randomUUID } from 'node:crypto';

/**
 * The address of a new service account. Accounts need an address, and clients expect one. This one cannot receive mail,
 * because names below `invalid` never exist (RFC 6761 §6.4). `MailQueue` drops mails to it.
 */
export function serviceAddress(): string {
  return `${randomUUID()}@service.invalid`;
}
