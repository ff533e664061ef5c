/** How many of the newest lines a support bundle can contain. */
const MOST_LINES = 5_000;

/** A longer line is left out: it contains a stack or a message of unusual length, and 5,000 of them need memory. */
const LONGEST_LINE = 16_384;

/**
 * The newest lines of the log, in memory. A line costs one assignment, because the logger has already written it as
 * text.
 */
class RecentLines {
  private readonly lines: string[] = [];
  private next = 0;

  add(line: string): void {
    if (line.length <= LONGEST_LINE) {
      this.lines[this.next] = line;
      this.next = (this.next + 1) % MOST_LINES;
    }
  }

  /** The lines as JSON, the oldest first. */
  all(): string[] {
    return [...this.lines.slice(this.next), ...this.lines.slice(0, this.next)];
  }
}

/** Those of the process, which has one log. */
export const recentLines = new RecentLines();
