import type { GenericSchema } from 'valibot';
import { loadPackage } from '../../../common/load-package';
import type { ToolSchema } from '../../../common/tools/agent-tool.decorator';

/**
 * The JSON Schema of a tool's input.
 *
 * @throws Error for a schema that is no object of valibot or zod 4
 */
export function inputSchemaOf({ '~standard': standard, ...schema }: ToolSchema): Record<string, unknown> {
  const made =
    standard.jsonSchema?.input({ target: 'draft-2020-12' }) ?? ofValibot({ '~standard': standard, ...schema });
  const { $schema: _dialect, ...described } = made;
  if (described.type !== 'object') {
    throw new TypeError('the input is no object.');
  }
  return described;
}

function ofValibot(schema: ToolSchema): Record<string, unknown> {
  if (schema['~standard'].vendor !== 'valibot') {
    throw new TypeError('the input is no schema of valibot or zod 4.');
  }
  // Few processes have tools, and each of them needs it only once.
  const { toJsonSchema } = loadPackage('@valibot/to-json-schema') as {
    toJsonSchema: (schema: GenericSchema, config: object) => Record<string, unknown>;
  };
  return toJsonSchema(schema as unknown as GenericSchema, { typeMode: 'input', errorMode: 'ignore' });
}
