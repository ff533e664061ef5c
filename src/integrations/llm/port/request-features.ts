import type { MessagePart, ModelFeature, ResponseFormat, ToolDefinition } from './message-parts';

/** What of a request decides which features it needs. */
export interface RequestContent {
  messages: readonly { parts?: readonly Pick<MessagePart, 'type'>[] }[];
  tools?: readonly ToolDefinition[];
  responseFormat?: ResponseFormat;
}

/** The feature that a part needs; undefined for text. */
export const FEATURES: Partial<Record<MessagePart['type'], ModelFeature>> = {
  image: 'images',
  file: 'files',
  tool_call: 'tools',
  tool_result: 'tools',
};

/** What a request asks more of its provider than text. */
export interface RequestNeeds {
  features: readonly ModelFeature[];
  /** Whether a schema says how exactly it must be followed; not every server knows the word for it. */
  namesStrictness: boolean;
}

export function needsOf(request: RequestContent): RequestNeeds {
  return { features: neededFeatures(request), namesStrictness: namesStrictness(request) };
}

/** The features that a request needs, without repeats; none for plain text. */
export function neededFeatures({ messages, tools = [], responseFormat }: RequestContent): ModelFeature[] {
  const needed = new Set<ModelFeature>();
  if (tools.length > 0) {
    needed.add('tools');
  }
  if (isForm(responseFormat)) {
    needed.add('response_format');
  }
  for (const { parts = [] } of messages) {
    for (const { type } of parts) {
      const feature = FEATURES[type];
      if (feature !== undefined) {
        needed.add(feature);
      }
    }
  }
  return [...needed];
}

/** Whether the reply must have a form that text does not have by itself. */
export function isForm(format: ResponseFormat | undefined): format is Exclude<ResponseFormat, { type: 'text' }> {
  return format !== undefined && format.type !== 'text';
}

function namesStrictness({ tools = [], responseFormat }: RequestContent): boolean {
  const isFormStrict = responseFormat?.type === 'json_schema' && responseFormat.strict !== null;
  return isFormStrict || tools.some(({ strict }) => strict !== null);
}
