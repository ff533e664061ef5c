import { applyDecorators } from '@nestjs/common';
import { BodyLimit, MostValues, TakesFiles } from '../../common/http/body/body-rules.decorator';

/**
 * The maximum size of a body without files, in bytes. It fits a text of a million characters in JSON's longest
 * encoding, and whole conversations, which clients send with each request.
 */
const LARGEST = 8 * 1_048_576;

/** The maximum number of JSON values in a body. */
const MOST_VALUES = 50_000;

/** For routes that accept items or messages with images and files. */
export const OpenAiBody = (): MethodDecorator =>
  applyDecorators(BodyLimit(LARGEST), TakesFiles(true), MostValues(MOST_VALUES));
