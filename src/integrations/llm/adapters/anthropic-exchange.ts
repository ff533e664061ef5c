import type { AnthropicRequest } from '../port/anthropic-request';
import type { CompletionListener, CompletionRequest, CompletionResult } from '../port/language-model-provider';
import type { RelayedAnswer } from '../port/relay';
import type { JsonObject } from './json-object';
import { MessageMeter, type MeterListener } from './message-meter';
import type { RelayClient } from './relay-client';
import { incompleteMessage, wholeParts } from './relayed-parts';
import { toOwnBody } from './requests/anthropic-own-body';

/**
 * Sends a request of a client of Anthropic's API in its own form, and passes its events on.
 *
 * @param settings of the agent, which replace those of the client
 * @throws ModelProviderError; ProviderRefusalError with the provider's own words
 */
export async function exchangeMessages(
  { name, client }: { name: string; client: RelayClient },
  request: CompletionRequest & { anthropic: AnthropicRequest; model: string },
  settings: JsonObject,
  listener: CompletionListener,
  signal: AbortSignal,
): Promise<CompletionResult> {
  const { anthropic, model } = request;
  const { headers, query } = anthropic;
  const body = Buffer.from(JSON.stringify(toOwnBody(model, request, settings)));
  anthropic.failure = null;
  try {
    const sent = { ...headers, ...(request.traceparent !== undefined && { traceparent: request.traceparent }) };
    const answer = await client.send(
      { provider: name, model, route: '/v1/messages', query, headers: sent, body },
      signal,
    );
    listener.onAnswered?.();
    return await readAnswer(answer, model, listener);
  } catch (error) {
    anthropic.failure = error;
    throw error;
  }
}

async function readAnswer(
  answer: RelayedAnswer,
  model: string,
  listener: CompletionListener,
): Promise<CompletionResult> {
  const meter = new MessageMeter(meterListener(listener));
  for await (const part of wholeParts(answer)) {
    const text = part.toString('utf8');
    if (/^(?:event: ?error|data: ?\{"type": ?"error")/.test(text)) {
      throw incompleteMessage(`The provider ended the stream with an error event: ${text}`);
    }
    listener.onEvent?.(text);
    if (answer.isStream) {
      meter.readEvent(part);
    } else {
      meter.readMessage(part);
    }
  }
  if (!meter.isComplete) {
    throw incompleteMessage();
  }
  const { finishReason, usage } = meter;
  return { finishReason: finishReason ?? 'stop', usage, model: meter.model ?? model };
}

/** The provider itself runs its server tools, so no client makes their calls. */
function meterListener(listener: CompletionListener): MeterListener {
  let calls = 0;
  let isServers = false;
  return {
    onText: (text) => listener.onText(text),
    onReasoning: (text) => listener.onReasoning?.(text),
    onToolCall: (id, name, type) => {
      isServers = type === 'server_tool_use';
      if (!isServers) {
        listener.onToolCall?.(calls++, { id, name });
      }
    },
    onToolArguments: (text) => {
      if (!isServers) {
        listener.onToolArguments?.(calls - 1, text);
      }
    },
    onUsage: (usage) => listener.onUsage?.(usage),
  };
}
