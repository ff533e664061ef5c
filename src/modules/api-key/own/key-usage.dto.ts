/** What was used with a key on a UTC day. */
export class KeyDayDto {
  /** The UTC day, `YYYY-MM-DD`. @example "2026-01-31" */
  date: string;

  /** Messages stored on it, those that were sent and the replies. @example 6 */
  messages: number;

  /** Tokens of its replies, prompts included. @example 2310 */
  tokens: number;
}
