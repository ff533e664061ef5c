/** Why a reply failed. */
export class ReplyErrorDto {
  /** As in error bodies: `PROVIDER_…`, `SERVICE_UNAVAILABLE` or `INTERNAL_ERROR`. @example PROVIDER_TIMEOUT */
  code: string;

  /** A sentence for people, in the caller's language. @example "The AI model took too long to answer." */
  message: string;

  /** Whether sending the message again may help. @example true */
  retryable: boolean;
}
