/** The account is closed. */
export class AccountClosedDto {
  /** Always true; failures have the error body. @example true */
  success: true;

  /** A sentence in the caller's language. @example "Your account is closed." */
  message: string;

  /** When the content is erased. @example "2026-08-07T12:00:00.000Z" */
  erase_at: string;
}
