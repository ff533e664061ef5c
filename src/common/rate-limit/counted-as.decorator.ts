import { Reflector } from '@nestjs/core';

/**
 * For a route whose requests count against a budget of their own instead of the user's: uploads, which clients send in
 * parallel, and reads that clients repeat until something is done.
 */
export const CountedAs = Reflector.createDecorator<'upload' | 'poll'>();
