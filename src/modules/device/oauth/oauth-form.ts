import type { Request } from 'express';
import { FORM } from '../../../common/http/body/request-body';
import { visibleName } from '../../../common/text/invisible';
import { countCharacters } from '../../../common/validation/fields';
import { InvalidRequestError } from '../device.errors';

/** Longest parameter, in characters. */
export const LONGEST_PARAMETER = 4_096;

/** The parameters of a form (RFC 6749 §3.2). Unknown parameters are ignored. */
export class OAuthForm {
  private readonly fields: Record<string, unknown>;

  /** @throws InvalidRequestError if the body is not a form */
  constructor(request: Request) {
    if (request.body !== undefined && request.is(FORM) === false) {
      throw new InvalidRequestError();
    }
    this.fields = (request.body ?? {}) as Record<string, unknown>;
  }

  /** @throws InvalidRequestError if the parameter is missing or sent twice */
  required(name: string): string {
    const value = this.optional(name);
    if (value === undefined) {
      throw new InvalidRequestError(name);
    }
    return value;
  }

  /** An empty parameter counts as absent. @throws InvalidRequestError if the parameter is too long or sent twice */
  optional(name: string): string | undefined {
    const value = this.fields[name];
    if (Array.isArray(value) || (typeof value === 'string' && value.length > LONGEST_PARAMETER)) {
      throw new InvalidRequestError(name);
    }
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /**
   * A text for people, without invisible characters. Null if it is absent.
   *
   * @throws InvalidRequestError if it has more characters
   */
  name(name: string, longest: number): string | null {
    const text = visibleName(this.optional(name) ?? '').replace(/\s+/gu, ' ');
    if (countCharacters(text) > longest) {
      throw new InvalidRequestError(name);
    }
    return text === '' ? null : text;
  }
}
