/**
 * Why a mail was not sent. `unreachable`: the mail server is down, so every mail fails. `temporary`: a retry may work.
 * `permanent`: every attempt would fail.
 */
export type MailDeliveryFault = 'unreachable' | 'temporary' | 'permanent';

/**
 * A mail was not delivered to the mail server. Callers of the API never see this error; the queue uses it to decide
 * what to do.
 */
export class MailDeliveryError extends Error {
  override readonly name = 'MailDeliveryError';

  constructor(
    readonly fault: MailDeliveryFault,
    cause: unknown,
  ) {
    super(`The mail could not be sent (${fault}): ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}
