import { ApiSchema, type ApiSchemaOptions } from '@nestjs/swagger';

/**
 * The object that the documentation shows, where the examples of all its fields do not make a sensible one together. Of
 * a body it is what the page offers to send: a fresh installation takes it, and it does no harm there.
 */
export const ObjectExample = (example: object): ClassDecorator =>
  // The decorator's type lacks what it writes into the schema all the same.
  ApiSchema({ example } as ApiSchemaOptions);
