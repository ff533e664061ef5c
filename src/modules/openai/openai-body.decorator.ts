import { applyDecorators } from '@nestjs/common';
import { BodyLimit, MostValues, TakesFiles } from '../../common/http/body/body-rules.decorator';

/**
 * Largest body, in bytes, beside files: a text of a million characters in JSON's longest form, or whole conversations, which
 * programs send with each request.
 */
const LARGEST = 8 * 1_048_576;

/** Most values of such a body. */
const MOST_VALUES = 50_000;

/** For routes that take items or messages, with images and files. */
export const OpenAiBody = (): MethodDecorator =>
  applyDecorators(BodyLimit(LARGEST), TakesFiles(true), MostValues(MOST_VALUES));
