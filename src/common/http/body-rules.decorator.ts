import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { BodyRules } from './request-body';

/** Bytes of the body of a route that names no limit. Nothing but long texts and lists takes more. */
export const SMALL_BODY = 16_384;

/** Bytes of a body with texts for models or people: 32,000 characters in the wordiest encoding take 400 KB. */
export const LARGE_BODY = 1_048_576;

/**
 * The largest body of a route or controller, in bytes; without it `SMALL_BODY`. A body that a route's own rules allow
 * has to fit, with every character in the wordiest way that JSON has for it: twelve bytes.
 */
export const BodyLimit = Reflector.createDecorator<number>();

/** For a route whose standard has forms: it reads them besides JSON. */
export const TakesForms = Reflector.createDecorator<boolean>();

export function bodyRulesOf(reflector: Reflector, context: ExecutionContext): BodyRules {
  const places = [context.getHandler(), context.getClass()];
  return {
    limit: reflector.getAllAndOverride<number | undefined>(BodyLimit.KEY, places) ?? SMALL_BODY,
    takesForms: reflector.get<boolean | undefined>(TakesForms.KEY, context.getHandler()) ?? false,
  };
}
