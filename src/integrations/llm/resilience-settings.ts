import { Injectable } from '@nestjs/common';

/** How failures of a provider are met. Not configuration: tests replace it to be quick. Times in milliseconds. */
@Injectable()
export class ResilienceSettings {
  /** Pause before each further attempt; their number is the number of retries. */
  retryDelays: readonly number[] = [500, 2_000];
  /** Each pause varies by this share up and down, so that many callers do not return together. */
  retryJitter = 0.2;
  /** A provider that asks for a longer pause (Retry-After) is not asked again; the caller gets its answer at once. */
  longestRetryAfter = 10_000;
  /**
   * Attempts in a row that found the provider down, after which it is left alone. A request makes up to three, and who
   * sends a dozen in vain is still told why each of them failed; a busy service gets there within seconds.
   */
  breakerThreshold = 50;
  /** How long it is left alone before one request tries it again. */
  breakerPause = 5_000;
}
