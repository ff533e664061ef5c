import type { BinaryPart, MessagePart, ModelFeature, ResponseFormat, ToolDefinition } from './message-parts';

/** The part of a request that decides which features it needs. */
export interface RequestContent {
  messages: readonly { parts?: readonly FeaturePart[] }[];
  tools?: readonly ToolDefinition[];
  responseFormat?: ResponseFormat;
}

/** What decides about the feature that a part needs. */
export type FeaturePart = Pick<MessagePart, 'type'> & Pick<BinaryPart, 'as_text'>;

/** The feature that a kind of part needs; undefined for text. */
export const FEATURES: Partial<Record<MessagePart['type'], ModelFeature>> = {
  image: 'images',
  file: 'files',
  tool_call: 'tools',
  tool_result: 'tools',
};

/** The feature that a part needs; undefined for text, and for files that are sent as text. */
export function featureOf({ type, as_text: isText }: FeaturePart): ModelFeature | undefined {
  return isText ? undefined : FEATURES[type];
}

/** What a request needs of its provider in addition to text. */
export interface RequestNeeds {
  features: readonly ModelFeature[];
  /** Whether a schema has the member `strict`, which some servers do not support. */
  namesStrictness: boolean;
}

export function needsOf(request: RequestContent): RequestNeeds {
  return { features: neededFeatures(request), namesStrictness: namesStrictness(request) };
}

/** The distinct features that a request needs; none for plain text. */
export function neededFeatures({ messages, tools = [], responseFormat }: RequestContent): ModelFeature[] {
  const needed = new Set<ModelFeature>();
  if (tools.length > 0) {
    needed.add('tools');
  }
  if (isForm(responseFormat)) {
    needed.add('response_format');
  }
  for (const { parts = [] } of messages) {
    for (const part of parts) {
      const feature = featureOf(part);
      if (feature !== undefined) {
        needed.add(feature);
      }
    }
  }
  return [...needed];
}

/** Whether the reply must have a special format. */
export function isForm(format: ResponseFormat | undefined): format is Exclude<ResponseFormat, { type: 'text' }> {
  return format !== undefined && format.type !== 'text';
}

function namesStrictness({ tools = [], responseFormat }: RequestContent): boolean {
  const isFormStrict = responseFormat?.type === 'json_schema' && responseFormat.strict !== null;
  return isFormStrict || tools.some(({ strict }) => strict !== null);
}
