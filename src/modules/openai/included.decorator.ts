import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { Request } from 'express';
import { InvalidParameterError } from '../../common/errors/validation.errors';

/** Additional data that a client requests. Unknown values are ignored. */
export type Inclusion = ReadonlySet<string>;

export const NOTHING_MORE: Inclusion = new Set();

/** The images of messages, as data URLs. */
export const INCLUDED_IMAGES = 'message.input_image.image_url';

/** What searches of documents found. */
export const INCLUDED_RESULTS = 'file_search_call.results';

/** The maximum number of values in a request. OpenAI's API has seven. */
const MOST_VALUES = 16;

/**
 * The query parameter `include`. Clients write the list as `include`, as `include[]`, or with numbers in the brackets.
 */
export const Included = createParamDecorator((_data: unknown, context: ExecutionContext): Inclusion => {
  const query = context.switchToHttp().getRequest<Request>().query as Record<string, unknown>;
  const values = Object.entries(query).flatMap(([name, value]) => (/^include(\[\d*\])?$/.test(name) ? value : []));
  if (values.length > MOST_VALUES) {
    throw new InvalidParameterError([{ field: 'include', reason: 'too_many_items', values: { maximum: MOST_VALUES } }]);
  }
  return new Set(values.filter((value) => typeof value === 'string'));
});

/** Describes the parameter in the OpenAPI document. */
export const IncludeParameter = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({
      name: 'include',
      required: false,
      schema: {
        type: 'array',
        maxItems: MOST_VALUES,
        items: { type: 'string', enum: [INCLUDED_IMAGES, INCLUDED_RESULTS] },
      },
      description:
        `\`${INCLUDED_IMAGES}\`: returns images as data URLs. \`${INCLUDED_RESULTS}\`: returns what searches of ` +
        'documents found. Other values are ignored.',
    }),
  );
