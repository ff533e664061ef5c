import { setTimeout as delay } from 'node:timers/promises';
import type { ModelCandidate } from '../providers/model-registry';
import type { ResilienceSettings } from '../providers/resilience';
import type { Generation } from './generation';

/**
 * Waits, once and as long as a retry would, until a model may be asked that has refused somebody with a time to wait.
 *
 * @throws ProviderUnavailableError without asking it, when that is too long
 */
export async function whileResting(
  { restraint, model }: ModelCandidate,
  generation: Generation,
  { retryJitter, longestRetryAfter }: ResilienceSettings,
): Promise<void> {
  const rest = restraint.restOf(model);
  if (rest === 0) {
    return;
  }
  // Those who wait must not all come at once.
  const pause = rest * (1 + retryJitter * Math.random());
  if (rest > longestRetryAfter || !generation.hasTimeFor(pause)) {
    throw restraint.refusal(rest);
  }
  generation.announceRetry();
  await delay(pause, undefined, { ref: false });
  // The first to ask may have been refused again.
  const longer = restraint.restOf(model);
  if (longer > 0) {
    throw restraint.refusal(longer);
  }
}
