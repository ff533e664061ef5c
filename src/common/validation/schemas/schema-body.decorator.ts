import { Body } from '@nestjs/common';
import type { GenericSchema } from 'valibot';
import { SchemaPipe } from './schema.pipe';

/**
 * Gives a handler the body of the request as a schema of valibot reads it. For bodies whose fields have several forms, which
 * the decorators of a class cannot say: the type of the parameter is `InferOutput` of the schema. `ApiSchemaBody` documents it.
 */
export const SchemaBody = (schema: GenericSchema): ParameterDecorator => Body(new SchemaPipe(schema));
