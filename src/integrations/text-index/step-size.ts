/** Documents of one step: at first, at least and at most. */
const FIRST_ROWS = 200;
const FEWEST_ROWS = 25;
const MOST_ROWS = 2_000;

/** Target duration of a step, in milliseconds. */
const STEP_MILLISECONDS = 10;

/**
 * How many documents a step of a search reads. Documents differ in length, so the number adapts to the duration of the
 * steps.
 */
export class StepSize {
  rows = FIRST_ROWS;

  async measure<Result>(step: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const result = await step();
    const milliseconds = performance.now() - startedAt;
    if (milliseconds > 2 * STEP_MILLISECONDS) {
      this.rows = Math.max(FEWEST_ROWS, this.rows / 2);
    } else if (milliseconds < STEP_MILLISECONDS / 2) {
      this.rows = Math.min(MOST_ROWS, this.rows * 2);
    }
    return result;
  }
}
