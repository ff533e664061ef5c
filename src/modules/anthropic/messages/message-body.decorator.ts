import { applyDecorators } from '@nestjs/common';
import { BodyLimit, KeepsBytes, MostValues } from '../../../common/http/body/body-rules.decorator';

/** The largest body, in bytes: whole conversations with images and files. */
const LARGEST = 32 * 1_048_576;

const MOST_VALUES = 200_000;

/** For routes that accept the body of a message, whose bytes may be passed on. */
export const MessageRequestBody = (): MethodDecorator =>
  applyDecorators(BodyLimit(LARGEST), KeepsBytes(true), MostValues(MOST_VALUES));
