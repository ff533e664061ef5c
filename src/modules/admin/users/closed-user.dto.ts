/** A closed account. */
export class ClosedUserDto {
  /** Id of the closed account. @example 42 */
  id: number;

  /** When the content will be erased. @example "2026-08-07T12:00:00.000Z" */
  erase_at: string;
}
