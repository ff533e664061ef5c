/** What became of the calls of one tool on the days of a report. */
export class ToolStatisticsRowDto {
  /** The tool, as models called it. @example "cancel_order" */
  tool: string;

  /** Replies that called it. @example 12 */
  runs: number;

  /** How often it was called. @example 15 */
  calls: number;

  /** Calls that brought a result. @example 11 */
  succeeded: number;

  /** Calls that the tool itself refused, and calls with malformed arguments. @example 1 */
  failed: number;

  /** Calls that were not made: somebody or a policy denied them, or nobody decided in time. @example 2 */
  refused: number;

  /** Calls of which nobody knows what they did. @example 1 */
  unknown: number;

  /** Milliseconds on average; null: none was made. @example 120 */
  average_ms: number | null;

  /** Milliseconds of the longest call; null: none was made. @example 800 */
  longest_ms: number | null;
}

/** What became of the calls of tools. */
export class ToolStatisticsDto {
  /** First UTC day. @example "2026-01-02" */
  from: string;

  /** Last UTC day. @example "2026-01-31" */
  to: string;

  /** The most called first; at most 200. */
  tools: ToolStatisticsRowDto[];
}
