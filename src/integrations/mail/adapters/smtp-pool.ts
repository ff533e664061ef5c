import SMTPPool from 'nodemailer/lib/smtp-pool';
import { MAILS_AT_ONCE } from '../mail-transport';

/** Time limit of one delivery in milliseconds, including all waits. */
export const SEND_TIMEOUT_MILLISECONDS = 60_000;

/** Options of nodemailer's pool that its types lack. */
interface PoolOptions extends SMTPPool.Options {
  /** How often a mail is moved to another connection if its own breaks; unlimited by default. */
  maxRequeues: number;
}

/**
 * The pool of connections to the server of an SMTP URL. No wait in it is longer than 20 seconds. The query of the URL
 * may contain further options of nodemailer, e.g. `?requireTLS=true`.
 */
export function createSmtpPool(url: string): SMTPPool {
  const options: PoolOptions = {
    // Normalized, because nodemailer parses addresses by older rules, in which a backslash in a password becomes a
    // slash.
    url: new URL(url).href,
    pool: true,
    maxConnections: MAILS_AT_ONCE,
    maxRequeues: 1,
    dnsTimeout: 5_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    // A relay on this machine usually has a self-signed certificate, and no attacker can be between it and the service.
    ...(isLoopback(url) && { tls: { rejectUnauthorized: false } }),
  };
  return new SMTPPool(options);
}

function isLoopback(url: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}
