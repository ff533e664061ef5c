/** Usage of a key on a UTC day. */
export class KeyDayDto {
  /** The UTC day, `YYYY-MM-DD`. @example "2026-01-31" */
  date: string;

  /** Messages stored on it, sent ones and replies. @example 6 */
  messages: number;

  /** Tokens of its replies, including prompts. @example 2310 */
  tokens: number;
}
