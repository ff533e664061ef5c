import { applyDecorators, HttpStatus, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, type ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';
import { PaginationDto } from './page.dto';
import { SUCCESS_BODY } from './success-body';

/**
 * The content of the envelope: an object of one class, or of one of several classes. A class may have all fields of
 * another.
 */
type Data = Type<object> | Type<object>[];

type Content = NonNullable<Extract<ApiResponseOptions, { content?: unknown }>['content']>;

interface EnvelopedResponseOptions {
  status?: HttpStatus.OK | HttpStatus.CREATED;
  /** Adds to the summary of the operation. */
  description?: string;
  /** Other media types that the route can return, and their content. */
  otherContent?: Content;
}

/** Documents the success envelope around one object (specification §2.7). */
export function EnvelopedResponse(data: Data, options: EnvelopedResponseOptions = {}): MethodDecorator {
  return documented(data, schemaOf(data), options);
}

/** Documents the success envelope around a list that is short enough to be returned as a whole. */
export function EnvelopedListResponse(item: Data, options: EnvelopedResponseOptions = {}): MethodDecorator {
  return documented(item, { type: 'array', items: schemaOf(item) }, options);
}

/** Documents the success envelope around one page of a list. @param options a string is the description */
export function EnvelopedPageResponse(item: Data, options: EnvelopedResponseOptions | string = {}): MethodDecorator {
  const page = {
    type: 'object',
    required: ['items', 'pagination'],
    properties: {
      items: { type: 'array', items: schemaOf(item) },
      pagination: { $ref: getSchemaPath(PaginationDto) },
    },
  };
  return documented(item, page, typeof options === 'string' ? { description: options } : options);
}

function schemaOf(data: Data): object {
  return Array.isArray(data)
    ? { anyOf: data.map((model) => ({ $ref: getSchemaPath(model) })) }
    : { $ref: getSchemaPath(data) };
}

function documented(
  models: Data,
  data: object,
  { status = HttpStatus.OK, description, otherContent = {} }: EnvelopedResponseOptions,
): MethodDecorator {
  const schema = {
    allOf: [{ $ref: `#/components/schemas/${SUCCESS_BODY}` }, { required: ['data'], properties: { data } }],
  };
  return applyDecorators(
    ApiExtraModels(...[models].flat(), PaginationDto),
    ApiResponse({
      status,
      ...(description !== undefined && { description }),
      content: { 'application/json': { schema }, ...otherContent },
    }),
  );
}
