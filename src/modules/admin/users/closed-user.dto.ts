/** An account that was closed. */
export class ClosedUserDto {
  /** The closed account. @example 42 */
  id: number;

  /** When its content is erased. @example "2026-08-07T12:00:00.000Z" */
  erase_at: string;
}
