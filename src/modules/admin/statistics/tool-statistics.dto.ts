/** Calls of one tool in the period of a report. */
export class ToolStatisticsRowDto {
  /** Name of the tool, as models call it. @example "cancel_order" */
  tool: string;

  /** Replies that called the tool. @example 12 */
  runs: number;

  /** Number of calls. @example 15 */
  calls: number;

  /** Calls with a result. @example 11 */
  succeeded: number;

  /** Calls that the tool itself rejected, and calls with malformed arguments. @example 1 */
  failed: number;

  /** Calls that were not made, because a user or a policy denied them, or the approval timed out. @example 2 */
  refused: number;

  /** Calls whose effect is unknown. @example 1 */
  unknown: number;

  /** Average duration in milliseconds. Null if no call was made. @example 120 */
  average_ms: number | null;

  /** Longest duration in milliseconds. Null if no call was made. @example 800 */
  longest_ms: number | null;
}

/** Statistics of tool calls. */
export class ToolStatisticsDto {
  /** First UTC day. @example "2026-01-02" */
  from: string;

  /** Last UTC day. @example "2026-01-31" */
  to: string;

  /** The most frequently called tools first, at most 200. */
  tools: ToolStatisticsRowDto[];
}
