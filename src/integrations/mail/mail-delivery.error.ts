/**
 * Why a mail did not go out: `unreachable` concerns the mail server and so every mail, `temporary` may pass by itself,
 * `permanent` would fail again.
 */
export type MailDeliveryFault = 'unreachable' | 'temporary' | 'permanent';

/** A mail was not handed over. Callers of the API never see this error; the queue decides by it. */
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
