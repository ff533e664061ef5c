import type { AnthropicFeature } from '../../../integrations/llm/port/provider-definition';
import { SharedFeatureError, ThreadUnsupportedError } from '../anthropic.errors';
import type { MessageBody } from './message-request';

/** Features with costs that a usage does not report. A hard budget could not limit them. */
const UNREPORTED: readonly AnthropicFeature[] = ['container', 'mcp_servers', 'code_execution'];

/**
 * Refuses fields that use state which all users of a provider would share.
 *
 * @param enabled the features that the provider allows
 * @param isHard whether a budget with a hard limit applies, which costs outside of the usage would exceed
 * @throws SharedFeatureError, ThreadUnsupportedError
 */
export function refuseSharedFeatures(body: MessageBody, enabled: readonly AnthropicFeature[], isHard: boolean): void {
  if (isPresent(body.thread)) {
    throw new ThreadUnsupportedError('thread');
  }
  for (const { feature, field } of sharedFeatures(body)) {
    if (!enabled.includes(feature) || (isHard && UNREPORTED.includes(feature))) {
      throw new SharedFeatureError(field);
    }
  }
}

/** The shared features of a body, each with the field that uses it. */
export function* sharedFeatures(body: MessageBody): Generator<{ feature: AnthropicFeature; field: string }> {
  if (isPresent(body.container)) {
    yield { feature: 'container', field: 'container' };
  }
  if (isPresent(body.mcp_servers)) {
    yield { feature: 'mcp_servers', field: 'mcp_servers' };
  }
  for (const [index, tool] of listOf(body.tools).entries()) {
    if (isObject(tool) && typeof tool.type === 'string' && tool.type.startsWith('code_execution')) {
      yield { feature: 'code_execution', field: `tools.${index}` };
    }
  }
  for (const [index, message] of body.messages.entries()) {
    yield* filesIn(isObject(message) ? message.content : null, `messages.${index}.content`);
  }
  yield* filesIn(body.system, 'system');
}

/** Blocks that refer to a file by its id, at any depth: results of tools contain blocks too. */
function* filesIn(value: unknown, path: string): Generator<{ feature: AnthropicFeature; field: string }> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* filesIn(item, `${path}.${index}`);
    }
  } else if (isObject(value)) {
    if (isPresent(value.file_id) || (isObject(value.source) && isPresent(value.source.file_id))) {
      yield { feature: 'files', field: path };
    }
    if (value.type !== 'tool_use') {
      yield* filesIn(value.content, `${path}.content`);
      yield* filesIn(isObject(value.source) ? value.source.content : null, `${path}.source.content`);
    }
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
