import { ApiSchema, type ApiSchemaOptions } from '@nestjs/swagger';

/**
 * The example object of the documentation, for classes where the examples of single fields do not fit together. The
 * page offers to send the example of a body, so a new installation must accept it, and it must do no harm.
 */
export const ObjectExample = (example: object): ClassDecorator =>
  // The decorator writes the example into the schema, although its type lacks the member.
  ApiSchema({ example } as ApiSchemaOptions);
