import type { ReplyEvent, ToolCallPartDto } from 'chat-service-client';
import type { Message } from '../types';

type CallState = NonNullable<ToolCallPartDto['state']>;

/** The call of a tool that the service makes itself. */
export interface ShownCall {
  id: string;
  name: string;
  /** What it is called with: a JSON value, or a text where that is malformed. */
  arguments: unknown;
  /** How much of the text of the reply comes before it. */
  offset: number;
  /** Null: it was begun, and nothing else is known. */
  state: CallState | null;
  /** What the model is told; null: nothing yet. */
  result: string | null;
  milliseconds: number | null;
  /** How far it has come while it runs, as its server says. */
  progress?: CallProgress;
}

type CallProgress = Omit<Extract<ReplyEvent, { type: 'tool_progress' }>, 'type' | 'id'>;

/** The calls in a stored reply. Programs make those that have no state themselves. */
export function callsOf(message: Pick<Message, 'parts'> | null | undefined): ShownCall[] {
  const calls: ShownCall[] = [];
  let offset = 0;
  for (const part of message?.parts ?? []) {
    if (part.type === 'text') offset += part.text.length;
    else if (part.type === 'tool_call' && part.state) {
      const { id, name, state } = part;
      calls.push({
        id,
        name,
        arguments: valueOf(part.arguments),
        offset,
        state,
        result: null,
        milliseconds: null,
      });
    } else if (part.type === 'tool_result') {
      const call = calls.find(({ id }) => id === part.id);
      if (call) Object.assign(call, { result: part.content, milliseconds: part.duration_ms ?? null });
    }
  }
  return calls;
}

type CallEvent = Extract<ReplyEvent, { type: 'tool_call' | 'tool_progress' | 'tool_result' }>;

/** The calls with what came of one. @param offset how much of the text is there */
export function withCall(calls: readonly ShownCall[], event: CallEvent, offset: number): ShownCall[] {
  if (event.type === 'tool_result') {
    const { id, state, content: result, duration_ms: milliseconds } = event;
    return calls.map((call) => (call.id === id ? { ...call, state, result, milliseconds, progress: undefined } : call));
  }
  if (event.type === 'tool_progress') {
    const { id, progress, total, message } = event;
    return calls.map((call) => (call.id === id ? { ...call, progress: { progress, total, message } } : call));
  }
  const { id, tool: name, arguments: given } = event;
  if (calls.some((call) => call.id === id)) return [...calls];
  return [...calls, { id, name, arguments: given, offset, state: null, result: null, milliseconds: null }];
}

/** A stretch of the text, and the calls behind it. */
export interface ReplySegment {
  text: string;
  calls: ShownCall[];
}

/** The text of a reply with the calls in their places. Its last stretch has none, or is not yet written. */
export function segmentsOf(text: string, calls: readonly ShownCall[]): ReplySegment[] {
  const segments: ReplySegment[] = [];
  let from = 0;
  for (const call of calls) {
    const last = segments.at(-1);
    if (last && call.offset <= from) last.calls.push(call);
    else {
      segments.push({ text: text.slice(from, call.offset), calls: [call] });
      from = call.offset;
    }
  }
  const rest = text.slice(from);
  return rest === '' && segments.length > 0 ? segments : [...segments, { text: rest, calls: [] }];
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json === '' ? '{}' : json);
  } catch {
    return json;
  }
}
