import { applyDecorators, HttpStatus, Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { PaginationDto } from './page.dto';

interface EnvelopedResponseOptions {
  status?: HttpStatus.OK | HttpStatus.CREATED;
  description: string;
}

/** Documents the success envelope around one object (specification §2.7). */
export function EnvelopedResponse(
  data: Type<object>,
  { status = HttpStatus.OK, description }: EnvelopedResponseOptions,
): MethodDecorator {
  return documented(data, status, description, { $ref: getSchemaPath(data) });
}

/** Documents the success envelope around one page of a list. */
export function EnvelopedPageResponse(item: Type<object>, description: string, example?: object): MethodDecorator {
  return documented(item, HttpStatus.OK, description, {
    type: 'object',
    example,
    required: ['items', 'pagination'],
    properties: {
      items: { type: 'array', items: { $ref: getSchemaPath(item) } },
      pagination: { $ref: getSchemaPath(PaginationDto) },
    },
  });
}

function documented(model: Type<object>, status: number, description: string, data: object): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(model, PaginationDto),
    ApiResponse({
      status,
      description,
      schema: {
        type: 'object',
        required: ['success', 'data', 'message', 'timestamp'],
        properties: {
          success: { type: 'boolean', enum: [true] },
          data,
          message: { type: 'string', example: 'Done.' },
          timestamp: { type: 'string', format: 'date-time', example: '2026-01-31T09:30:00.000Z' },
        },
      },
    }),
  );
}
