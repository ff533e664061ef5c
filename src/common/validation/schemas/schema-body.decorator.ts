import { Body } from '@nestjs/common';
import type { GenericSchema } from 'valibot';
import { SchemaPipe } from './schema.pipe';

/**
 * Passes the body of the request to a handler, parsed by a schema of valibot. For bodies whose fields have several
 * forms, which the decorators of a class cannot express. The type of the parameter is `InferOutput` of the schema.
 * `ApiSchemaBody` documents it.
 */
export const SchemaBody = (schema: GenericSchema): ParameterDecorator => Body(new SchemaPipe(schema));
