import { Reflector } from '@nestjs/core';

/** The budgets of their own. */
export type CountedActivity = 'upload' | 'poll' | 'token_count' | 'telemetry';

/**
 * For a route whose requests count against a budget of their own instead of the user's: uploads, which clients send in
 * parallel, reads that clients repeat until something is done, counts of tokens, and telemetry.
 */
export const CountedAs = Reflector.createDecorator<CountedActivity>();
