import * as v from 'valibot';
import { LONGEST_TEXT } from '../../../../common/http/body/json-scan';
import { maxCharacters } from '../../../../common/validation/schemas/max-characters';

/**
 * The request as far as it is translated for other providers. Unknown fields and blocks are skipped, because clients of
 * newer versions send them.
 */

const text = v.pipe(v.string(), maxCharacters(LONGEST_TEXT));

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

const textBlock = v.object({ type: v.literal('text'), text });

/** A block that is not translated. */
const otherBlock = v.pipe(
  v.unknown(),
  v.check((block) => typeof (block as { type?: unknown } | null)?.type === 'string', 'invalid_format'),
  v.transform(() => ({ type: 'other' as const })),
);

const imageSource = v.variant('type', [
  v.object({ type: v.literal('base64'), media_type: name, data: v.string() }),
  v.object({ type: v.literal('url'), url: v.string() }),
]);

const imageBlock = v.object({ type: v.literal('image'), source: imageSource });

const searchResultBlock = v.object({
  type: v.literal('search_result'),
  title: text,
  source: text,
  content: v.array(textBlock),
});

const contentSource = v.object({
  type: v.literal('content'),
  content: v.union([text, v.array(v.variant('type', [textBlock, imageBlock]))]),
});

const documentBlock = v.object({
  type: v.literal('document'),
  title: v.nullish(text),
  context: v.nullish(text),
  source: v.variant('type', [
    v.object({ type: v.literal('base64'), media_type: name, data: v.string() }),
    v.object({ type: v.literal('url'), url: v.string() }),
    v.object({ type: v.literal('text'), data: text }),
    contentSource,
  ]),
});

const toolReference = v.object({ type: v.literal('tool_reference'), tool_name: name });

const RESULT_BLOCKS = {
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  search_result: searchResultBlock,
  tool_reference: toolReference,
};

const resultBlock = v.lazy((input) => byType(RESULT_BLOCKS, input) ?? otherBlock);

const BLOCKS = {
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  search_result: searchResultBlock,
  tool_use: v.object({ type: v.literal('tool_use'), id, name, input: v.record(v.string(), v.unknown()) }),
  tool_result: v.object({
    type: v.literal('tool_result'),
    tool_use_id: id,
    content: v.nullish(v.union([text, v.array(resultBlock)])),
    is_error: v.nullish(v.boolean()),
  }),
};

const block = v.lazy((input) => byType(BLOCKS, input) ?? otherBlock);

const message = v.object({
  role: v.picklist(['user', 'assistant', 'system']),
  content: v.union([text, v.array(block)]),
});

const customTool = v.object({
  type: v.nullish(v.literal('custom')),
  name,
  description: v.nullish(text),
  input_schema: v.record(v.string(), v.unknown()),
  strict: v.nullish(v.boolean()),
});

/** A tool that providers of other kinds do not run. */
const otherTool = v.object({ type: v.string(), name: v.nullish(v.string()) });

const tool = v.lazy((input) => (isCustom(input) ? customTool : otherTool));

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

export const messageRequest = v.object({
  model: v.string(),
  max_tokens: v.pipe(v.number(), v.integer(), v.minValue(0)),
  messages: v.pipe(v.array(message), v.minLength(1)),
  system: v.nullish(v.union([text, v.array(textBlock)])),
  stream: v.nullish(v.boolean()),
  temperature: v.nullish(share),
  top_p: v.nullish(share),
  stop_sequences: v.nullish(v.array(v.pipe(v.string(), v.maxLength(1_000)))),
  thinking: v.nullish(v.object({ type: v.string(), display: v.nullish(v.string()) })),
  tools: v.nullish(v.array(tool)),
  tool_choice: v.nullish(
    v.variant('type', [
      v.object({ type: v.literal('auto'), disable_parallel_tool_use: v.nullish(v.boolean()) }),
      v.object({ type: v.literal('any'), disable_parallel_tool_use: v.nullish(v.boolean()) }),
      v.object({ type: v.literal('tool'), name, disable_parallel_tool_use: v.nullish(v.boolean()) }),
      v.object({ type: v.literal('none') }),
    ]),
  ),
  output_config: v.nullish(
    v.object({
      effort: v.nullish(v.string()),
      format: v.nullish(v.object({ type: v.literal('json_schema'), schema: v.record(v.string(), v.unknown()) })),
    }),
  ),
});

/** A request to count tokens has the fields of a request for a message, but no output limit. */
export const countRequest = v.object({ ...messageRequest.entries, max_tokens: v.nullish(v.number()) });

export type MessageRequest = v.InferOutput<typeof messageRequest>;
export type CountRequest = v.InferOutput<typeof countRequest>;
export type RequestMessage = MessageRequest['messages'][number];
export type RequestBlock = Exclude<RequestMessage['content'], string>[number];
export type ResultBlock = v.InferOutput<typeof resultBlock>;
export type RequestTool = NonNullable<MessageRequest['tools']>[number];
export type CustomTool = v.InferOutput<typeof customTool>;
export type ImageBlock = v.InferOutput<typeof imageBlock>;
export type DocumentBlock = v.InferOutput<typeof documentBlock>;
export type SearchResultBlock = v.InferOutput<typeof searchResultBlock>;

/** Whether the client runs a tool. */
export function isCustom(tool: unknown): tool is CustomTool {
  const { type } = (tool ?? {}) as { type?: unknown };
  return type === undefined || type === null || type === 'custom';
}

function byType<Schemas extends object>(schemas: Schemas, input: unknown): Schemas[keyof Schemas] | undefined {
  const { type } = (input ?? {}) as { type?: unknown };
  return typeof type === 'string' && Object.hasOwn(schemas, type) ? schemas[type as keyof Schemas] : undefined;
}
