import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { JsonLimits } from './json-scan';

/** Largest body, in bytes, of a route without its own limit. Only long texts and lists need more. */
export const SMALL_BODY = 16_384;

/**
 * Largest body, in bytes, with texts for models or people: 32,000 characters in JSON's longest encoding take 400 KB.
 */
export const LARGE_BODY = 1_048_576;

/**
 * The largest body of a route or controller, in bytes; default: `SMALL_BODY`. Files sent as data have another limit.
 * Every body that a route's own rules allow must fit, even if each character has JSON's longest form: twelve bytes.
 */
export const BodyLimit = Reflector.createDecorator<number>();

/**
 * Largest body in bytes with a file sent as data, a data URL or `file_data` in base64: 20 MiB of files, and the rest.
 * Everything except files has the limit of the route.
 */
export const FILES_BODY = 28 * 1_048_576;

/** Most values in a body of a route without its own number. */
const MOST_VALUES = 20_000;

/** The rules for bodies of a route. */
export interface BodyRules extends JsonLimits {
  /** Largest body in bytes, not counting the contents of files. */
  limit: number;
  /** An additional media type of JSON that the route reads; null: none. */
  otherJson: string | null;
  /** Whether the route also reads forms. */
  takesForms: boolean;
  /** Whether the route passes the body on: its bytes are kept, and its texts have no limit of their own. */
  keepsBytes: boolean;
}

/** For a route that accepts files as data: see `FILES_BODY`. */
export const TakesFiles = Reflector.createDecorator<boolean>();

/** For a route whose bodies have more values than usual, such as whole conversations. */
export const MostValues = Reflector.createDecorator<number>();

/** For a route whose bodies have objects with more members than usual, such as lists by name. */
export const MostMembers = Reflector.createDecorator<number>();

/** For a route whose standard uses forms (OAuth 2.0): it reads forms and JSON. */
export const TakesForms = Reflector.createDecorator<boolean>();

/**
 * For a route that reads a form with a file as it arrives (`readMultipart`): `only`, or `also` JSON. The guard leaves
 * such a body unread.
 */
export const TakesUpload = Reflector.createDecorator<'only' | 'also'>();

/** For a route that passes its JSON body on unchanged: `request.exactBody` has its bytes. */
export const KeepsBytes = Reflector.createDecorator<boolean>();

/** For a route that accepts any body and reads none of it: the largest body, in bytes. */
export const DiscardsBody = Reflector.createDecorator<number>();

/** For a controller whose standard has its own media type for JSON. The controller reads both types. */
export const TakesJsonAs = Reflector.createDecorator<string>();

/** For a route that browsers open as a page. It responds with a redirect, whatever the browser accepts. */
export const AcceptsAnyType = Reflector.createDecorator<boolean>();

/** For a route that accepts other forms of its body too: rewrites them into the fields of the body's class. */
export const RewriteBody = Reflector.createDecorator<(body: unknown) => unknown>();

export function bodyRulesOf(reflector: Reflector, context: ExecutionContext): BodyRules {
  const places = [context.getHandler(), context.getClass()];
  return {
    limit: reflector.getAllAndOverride<number | undefined>(BodyLimit.KEY, places) ?? SMALL_BODY,
    mostValues: reflector.get<number | undefined>(MostValues.KEY, context.getHandler()) ?? MOST_VALUES,
    mostMembers: reflector.get<number | undefined>(MostMembers.KEY, context.getHandler()),
    otherJson: reflector.getAllAndOverride<string | undefined>(TakesJsonAs.KEY, places) ?? null,
    takesFiles: reflector.get<boolean | undefined>(TakesFiles.KEY, context.getHandler()) ?? false,
    takesForms: reflector.get<boolean | undefined>(TakesForms.KEY, context.getHandler()) ?? false,
    keepsBytes: reflector.get<boolean | undefined>(KeepsBytes.KEY, context.getHandler()) ?? false,
  };
}
