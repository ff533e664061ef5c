import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';

/** No server has a tool with a longer name. */
const LONGEST = 255;

/** The parameter in the documentation. */
export const TOOL_NAME = {
  name: 'name',
  description: 'As the server calls it.',
  schema: { type: 'string', maxLength: LONGEST },
  example: 'create_issue',
} as const;

/** Reads a path parameter that names a tool of a server. What no tool can be called is 400. */
@Injectable()
export class ToolNamePipe implements PipeTransform<string, string> {
  transform(value: string, metadata: ArgumentMetadata): string {
    if (value.length > LONGEST) {
      throw new InvalidParameterError([{ field: metadata.data ?? 'name', reason: 'too_long' }]);
    }
    return value;
  }
}
