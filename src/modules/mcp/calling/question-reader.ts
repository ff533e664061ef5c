import * as v from 'valibot';
import { hasInvisible, mapTexts, withoutInvisible } from '../../../common/text/invisible';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import type { ToolQuestion } from '../../tool/tool.api';
import type { McpServer } from '../servers/mcp-server.store';
import { isDisguised, looksSecret } from './secret-fields';

const LONGEST_MESSAGE = 4_000;
const LONGEST_ADDRESS = 2_048;
const LARGEST_SCHEMA = 32 * 1_024;
const MOST_FIELDS = 64;

const text = v.optional(v.string());
const number = v.optional(v.pipe(v.number(), v.finite()));
/** What goes back as it is, so nothing may be removed from it. */
const exact = v.pipe(
  v.string(),
  v.check((value) => !hasInvisible(value) && value.isWellFormed()),
);
const choices = v.pipe(v.array(exact), v.minLength(1));
const titled = v.pipe(v.array(v.object({ const: exact, title: v.string() })), v.minLength(1));
const about = { title: text, description: text };

/** The fields that the protocol knows, and of each what it says about them: nothing else is kept, a `pattern` for example. */
const field = v.variant('type', [
  v.object({ ...about, type: v.literal('boolean'), default: v.optional(v.boolean()) }),
  v.object({
    ...about,
    type: v.picklist(['number', 'integer']),
    ...{ minimum: number, maximum: number, default: number },
  }),
  v.object({
    ...about,
    type: v.literal('string'),
    ...{ minLength: number, maxLength: number, default: text },
    format: v.optional(v.picklist(['email', 'uri', 'date', 'date-time'])),
    enum: v.optional(choices),
    enumNames: v.optional(v.array(v.string())),
    oneOf: v.optional(titled),
  }),
  v.object({
    ...about,
    type: v.literal('array'),
    items: v.union([v.object({ type: v.literal('string'), enum: choices }), v.object({ anyOf: titled })]),
    ...{ minItems: number, maxItems: number, default: v.optional(v.array(v.string())) },
  }),
]);

const form = v.object({
  mode: v.optional(v.literal('form')),
  message: v.string(),
  requestedSchema: v.object({
    type: v.literal('object'),
    properties: v.record(exact, field),
    required: v.optional(v.array(v.string())),
  }),
});

const address = v.object({ mode: v.literal('url'), message: v.string(), url: v.string() });

/**
 * What a server asks (`elicitation/create`), for people: without what nobody sees.
 *
 * @param params as the server sent them
 * @returns null for what no person is shown: what the server's settings do not allow, forms that the protocol does not know or that
 *   ask for secrets, and addresses that are not https or have credentials
 */
export function readQuestion(params: unknown, server: Pick<McpServer, 'url' | 'elicitation'>): ToolQuestion | null {
  const asked = v.safeParse(v.union([address, form]), params);
  if (!asked.success || server.elicitation === 'off') {
    return null;
  }
  const message = beginningOf(readable(asked.output.message), LONGEST_MESSAGE);
  if ('url' in asked.output) {
    const url = server.elicitation === 'form_and_url' ? addressOf(asked.output.url) : null;
    return url && { message, url: url.href, host: url.host };
  }
  const schema = schemaOf(asked.output.requestedSchema);
  return schema && { message, schema, host: new URL(server.url).host };
}

function addressOf(given: string): URL | null {
  const clean = withoutInvisible(given) as string;
  const url = clean.length <= LONGEST_ADDRESS && URL.canParse(clean) ? new URL(clean) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url : null;
}

function schemaOf(schema: v.InferOutput<typeof form>['requestedSchema']): Record<string, unknown> | null {
  const fields = Object.entries(schema.properties);
  const asksForSecrets = fields.some(
    ([name, { type, title, description }]) =>
      type !== 'boolean' && (looksSecret(name, title, description) || isDisguised(name) || isDisguised(title)),
  );
  const isLarge = fields.length > MOST_FIELDS || JSON.stringify(schema).length > LARGEST_SCHEMA;
  return asksForSecrets || isLarge ? null : readable(schema);
}

/** Without what nobody sees, and without halves of characters. */
function readable<Value>(value: Value): Value {
  return mapTexts(withoutInvisible(value), (text) => text.toWellFormed()) as Value;
}
