import { applyDecorators, HttpStatus, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, type ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';
import { PaginationDto } from './page.dto';
import { SUCCESS_BODY } from './success-body';

/**
 * What is in the envelope: an object of one class, or of one of several classes. A class may have all fields of
 * another.
 */
type Data = Type<object> | Type<object>[];

type Content = NonNullable<Extract<ApiResponseOptions, { content?: unknown }>['content']>;

interface EnvelopedResponseOptions {
  status?: HttpStatus.OK | HttpStatus.CREATED;
  description: string;
  /** Other media types that the route can answer, and their content. */
  otherContent?: Content;
}

/** Documents the success envelope around one object (specification §2.7). */
export function EnvelopedResponse(
  data: Data,
  { status = HttpStatus.OK, description, otherContent }: EnvelopedResponseOptions,
): MethodDecorator {
  return documented(data, status, description, schemaOf(data), otherContent);
}

/**
 * Documents the success envelope around one page of a list.
 *
 * @param otherContent other media types that the route can answer, and their content
 */
export function EnvelopedPageResponse(
  item: Data,
  description: string,
  example?: object,
  otherContent: Content = {},
): MethodDecorator {
  const page = {
    type: 'object',
    example,
    required: ['items', 'pagination'],
    properties: {
      items: { type: 'array', items: schemaOf(item) },
      pagination: { $ref: getSchemaPath(PaginationDto) },
    },
  };
  return documented(item, HttpStatus.OK, description, page, otherContent);
}

function schemaOf(data: Data): object {
  return Array.isArray(data)
    ? { anyOf: data.map((model) => ({ $ref: getSchemaPath(model) })) }
    : { $ref: getSchemaPath(data) };
}

function documented(
  models: Data,
  status: number,
  description: string,
  data: object,
  otherContent: Content = {},
): MethodDecorator {
  const schema = {
    allOf: [{ $ref: `#/components/schemas/${SUCCESS_BODY}` }, { required: ['data'], properties: { data } }],
  };
  return applyDecorators(
    ApiExtraModels(...[models].flat(), PaginationDto),
    ApiResponse({ status, description, content: { 'application/json': { schema }, ...otherContent } }),
  );
}
