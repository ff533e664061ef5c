/** Documents of one step: at the beginning, at least and at most. */
const FIRST_ROWS = 200;
const FEWEST_ROWS = 25;
const MOST_ROWS = 2_000;

/** What a step should take, in milliseconds. */
const STEP_MILLISECONDS = 10;

/** How many documents a step of a search reads. They differ in length, so their number follows the time of the steps. */
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
