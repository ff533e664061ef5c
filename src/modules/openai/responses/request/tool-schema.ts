import * as v from 'valibot';
import { described } from '../../../../common/validation/schemas/described';
import { anyObject } from '../../../../common/validation/schemas/dictionary';
import { SEARCH_FIELDS } from '../../../knowledge/knowledge.api';
import { itemText } from '../../input/item-text';
import { otherChoice, otherResponseChoice, otherResponseTool, otherTool } from '../../tools/other-tool';

/** The maximum number of tools in a request, and in a namespace. */
const MOST_TOOLS = 128;

const MOST_STORES = 32;

const LONGEST_NAME = 128;
const LONGEST_TYPE = 64;
const LONGEST_URL = 2_000;
const LONGEST_SECRET = 4_096;
const MOST_HEADERS = 20;

export const toolName = v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/), v.maxLength(64));

/** A name that becomes part of a longer name, which is shortened if necessary. */
const nameInNamespace = v.pipe(v.string(), v.minLength(1), v.maxLength(LONGEST_NAME));

const chosenName = v.pipe(v.string(), v.maxLength(256));

const jsonObject = anyObject;

const aFunction = {
  type: v.literal('function'),
  description: v.nullish(itemText, null),
  parameters: v.nullish(jsonObject, null),
  strict: v.nullish(v.boolean(), null),
};

const functionTool = v.object({ ...aFunction, name: toolName });

const customFormat = v.object({
  type: v.pipe(v.string(), v.maxLength(LONGEST_TYPE)),
  syntax: v.optional(v.pipe(v.string(), v.maxLength(LONGEST_TYPE))),
  definition: v.optional(itemText),
});

const aCustomTool = { type: v.literal('custom'), description: v.nullish(itemText), format: v.nullish(customFormat) };

const customTool = v.object({ ...aCustomTool, name: toolName });

const namespace = v.object({
  type: v.literal('namespace'),
  name: nameInNamespace,
  description: v.nullish(itemText),
  tools: v.pipe(
    v.array(
      v.union([
        v.object({ ...aFunction, name: nameInNamespace }),
        v.object({ ...aCustomTool, name: nameInNamespace }),
        otherTool,
      ]),
    ),
    v.maxLength(MOST_TOOLS),
  ),
});

const serverLabel = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
const names = v.pipe(v.array(chosenName), v.maxLength(512));
/** Strict, because an array is an object too: an array that is too long would be accepted as an empty filter. */
const filter = v.strictObject({ tool_names: v.optional(names), read_only: v.optional(v.boolean()) });

/** Tools of the agent, by their module or MCP server, or tools of an MCP server that only the request defines. */
const mcpTool = v.object({
  type: v.literal('mcp'),
  server_label: described(serverLabel, 'Label of the module or server of the tools.', 'orders'),
  server_description: v.nullish(itemText),
  allowed_tools: described(v.nullish(v.union([names, filter])), 'Only these tools are offered.'),
  require_approval: described(
    v.nullish(
      v.union([v.picklist(['always', 'never']), v.object({ always: v.optional(filter), never: v.optional(filter) })]),
    ),
    'Tools that need approval, in addition to those that always need it.',
    'always',
  ),
  server_url: described(
    v.nullish(v.pipe(v.string(), v.maxLength(LONGEST_URL))),
    'URL of a server that is not configured. Refused unless `MCP_REMOTE_URLS` is on; then all its tools ' +
      'need approval.',
    'https://mcp.example.com/mcp',
  ),
  connector_id: described(v.nullish(v.unknown()), 'Not supported.'),
  authorization: described(
    v.nullish(v.pipe(v.string(), v.maxLength(LONGEST_SECRET))),
    'Sent to `server_url` as a bearer token. It is not stored; send it again with a decision.',
  ),
  headers: described(
    v.nullish(
      v.pipe(v.record(v.string(), v.pipe(v.string(), v.maxLength(LONGEST_SECRET))), v.maxEntries(MOST_HEADERS)),
    ),
    'Headers sent to `server_url`. They are not stored.',
  ),
});

/** A search of collections, which OpenAI calls vector stores. The service runs it. */
const fileSearchTool = v.object({
  type: v.literal('file_search'),
  vector_store_ids: described(
    v.pipe(v.array(v.pipe(v.string(), v.maxLength(LONGEST_TYPE))), v.minLength(1), v.maxLength(MOST_STORES)),
    'The vector stores to search, up to 32.',
    ['vs_3'],
  ),
  filters: SEARCH_FIELDS.filters,
  max_num_results: SEARCH_FIELDS.max_num_results,
  ranking_options: SEARCH_FIELDS.ranking_options,
});

const tool = v.union([functionTool, customTool, namespace, mcpTool, fileSearchTool, otherResponseTool]);

export const responseTools = v.pipe(v.array(tool), v.maxLength(MOST_TOOLS));

const namedTool = v.object({
  type: v.picklist(['function', 'custom']),
  name: chosenName,
  namespace: v.nullish(chosenName),
});

const namedNamespace = v.object({ type: v.literal('namespace'), name: chosenName });

const allowed = v.object({
  type: v.literal('allowed_tools'),
  mode: v.nullish(v.picklist(['auto', 'required', 'none']), 'auto'),
  tools: v.pipe(v.array(v.union([namedTool, namedNamespace, otherChoice])), v.minLength(1), v.maxLength(MOST_TOOLS)),
});

const namedServer = v.object({
  type: v.literal('mcp'),
  server_label: serverLabel,
  name: v.nullish(chosenName),
});

export const responseChoice = v.union([
  v.picklist(['none', 'auto', 'required']),
  namedTool,
  allowed,
  namedServer,
  v.object({ type: v.literal('file_search') }),
  otherResponseChoice,
]);

export type ToolRequest = v.InferOutput<typeof tool>;
export type FunctionTool = v.InferOutput<typeof functionTool>;
export type CustomTool = v.InferOutput<typeof customTool>;
export type NamespaceTool = v.InferOutput<typeof namespace>;
export type FileSearchTool = v.InferOutput<typeof fileSearchTool>;
export type McpToolRequest = v.InferOutput<typeof mcpTool>;
export type ServerChoice = v.InferOutput<typeof namedServer>;
export type ToolChoiceRequest = v.InferOutput<typeof responseChoice>;
