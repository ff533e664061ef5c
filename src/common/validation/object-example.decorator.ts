import { ApiSchema, type ApiSchemaOptions } from '@nestjs/swagger';

/**
 * The object that the documentation shows when the examples of the single fields do not fit together. For a body, the
 * page offers to send it: a new installation must accept it, and it must do no harm there.
 */
export const ObjectExample = (example: object): ClassDecorator =>
  // The decorator writes this into the schema, although its type does not have it.
  ApiSchema({ example } as ApiSchemaOptions);
