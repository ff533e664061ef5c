import type { ReplyEvent, ToolCallPartDto } from 'chat-service-client';
import type { Message } from '../types';

type CallState = NonNullable<ToolCallPartDto['state']>;

/** A tool call that the service executes. */
export interface ShownCall {
  id: string;
  name: string;
  /** The arguments as JSON, or as text if they are malformed. */
  arguments: unknown;
  /** Whether an approver has edited the model's arguments. */
  isEdited: boolean;
  /** Length of the reply's text before the call. */
  offset: number;
  /** Null if nothing is known except that the call has started. */
  state: CallState | null;
  /** The result as sent to the model; null so far. */
  result: string | null;
  milliseconds: number | null;
  /** Progress that the MCP server reports while the call is running. */
  progress?: CallProgress;
}

type CallProgress = Omit<Extract<ReplyEvent, { type: 'tool_progress' }>, 'type' | 'id'>;

/** The tool calls of a stored reply. Calls without a state are executed by API clients. */
export function callsOf(message: Pick<Message, 'parts'> | null | undefined): ShownCall[] {
  const calls: ShownCall[] = [];
  let offset = 0;
  for (const part of message?.parts ?? []) {
    if (part.type === 'text') offset += part.text.length;
    else if (part.type === 'tool_call' && part.state) {
      const { id, name, state, edited: isEdited = false } = part;
      calls.push({
        id,
        name,
        arguments: valueOf(part.arguments),
        isEdited,
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

/**
 * Adds an event of a call to the calls.
 *
 * @param offset length of the text so far
 */
export function withCall(calls: readonly ShownCall[], event: CallEvent, offset: number): ShownCall[] {
  if (event.type === 'tool_result') {
    const { id, state, content: result, duration_ms: milliseconds, arguments: executed } = event;
    const edit = executed === null ? {} : { arguments: executed, isEdited: true };
    const ended = { state, result, milliseconds, progress: undefined, ...edit };
    return calls.map((call) => (call.id === id ? { ...call, ...ended } : call));
  }
  if (event.type === 'tool_progress') {
    const { id, progress, total, message } = event;
    return calls.map((call) => (call.id === id ? { ...call, progress: { progress, total, message } } : call));
  }
  const { id, tool: name, arguments: given, edited: isEdited } = event;
  if (calls.some((call) => call.id === id)) return [...calls];
  return [...calls, { id, name, arguments: given, isEdited, offset, state: null, result: null, milliseconds: null }];
}

/** A part of the text, and the calls after it. */
export interface ReplySegment {
  text: string;
  calls: ShownCall[];
}

/** Splits the text of a reply at its tool calls. The last segment has no calls, or is still growing. */
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
