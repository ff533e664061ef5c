import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

/** Bytes of the body of a route that names no limit. Nothing but long texts and lists takes more. */
export const SMALL_BODY = 16_384;

/** Bytes of a body with texts for models or people: 32,000 characters in the wordiest encoding take 400 KB. */
export const LARGE_BODY = 1_048_576;

/**
 * The largest body of a route or controller, in bytes; without it `SMALL_BODY`. A body that a route's own rules allow
 * has to fit, with every character in the wordiest way that JSON has for it: twelve bytes.
 */
export const BodyLimit = Reflector.createDecorator<number>();

/** The largest body that the route reads, in bytes. */
export function bodyLimitOf(reflector: Reflector, context: ExecutionContext): number {
  const places = [context.getHandler(), context.getClass()];
  return reflector.getAllAndOverride<number | undefined>(BodyLimit.KEY, places) ?? SMALL_BODY;
}
