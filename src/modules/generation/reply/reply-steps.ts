import type {
  CompactionPart,
  Passage,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../integrations/llm/port/message-parts';
import type { GenerationOptions } from './generation-task';
import type { LiveReply } from './live-reply';
import type { ReplyEnd } from './reply-end';
import type { ReplyRow } from './reply-row';
import { type ReplyStep, resultPart } from './reply-step';

export type { ReplyStep };

/** Converts the steps of a reply into one stream format. Each response has its own writer. */
export interface StepWriter {
  /** Headers of this format, including `Content-Type`. */
  readonly headers: Record<string, string>;

  /** Sent at intervals while there is nothing else to send. */
  readonly ping: string;

  /** Whether pings are sent only after a whole interval of silence. Absent: at fixed times. */
  readonly pingsAfterSilence?: boolean;

  /** Output before the first step. */
  begin(reply: LiveReply): string;

  /**
   * The output of one step. Empty if the reader already has the step or does not want it. Called for all steps in
   * order.
   */
  step(step: ReplyStep): string;

  /** Work that the end needs, such as finding out why the reply was stopped. Absent or null: none. */
  beforeEnd?(reply: LiveReply, end: ReplyEnd): Promise<void> | null;

  /** The remaining output, and how the reply ended. */
  end(reply: LiveReply, end: ReplyEnd): string;
}

/** Letters of the stored form. Each has a length or the number of a call. `d0:1`: call 0 needed approval. */
const TEXT = 't';
const REASONING = 'r';
const CALL = 'c';
const ARGUMENTS = 'a';
const COMPACTION = 'k';
const STARTED = 'd';
const RESULT = 'o';
const CITATION = 'q';

/**
 * The stored form of no steps. A reply that is only a compaction is marked, because nothing else would show it after a
 * crash.
 */
export function noSteps({ compaction }: GenerationOptions): string {
  return compaction === 'only' ? COMPACTION : '';
}

/** Whether a reply that a crash cut off was only a compaction, or had nothing after it yet. */
export function isCompaction({ steps }: ReplyRow): boolean {
  return steps === COMPACTION || steps === `${COMPACTION}0`;
}

/** Encodes steps without their text: `t5,r3,c0,a0:12`. Text, reasoning and calls are stored in their own columns. */
export function encodeSteps(steps: readonly ReplyStep[]): string {
  return steps.map(encodeStep).join();
}

/** The steps of a stored reply, as far as their text is stored. Null: stored without steps. */
export function stepsOf({ steps, content, reasoning, parts }: ReplyRow): ReplyStep[] | null {
  const toolCalls = (parts ?? []).filter((part) => part.type === 'tool_call');
  const toolResults = (parts ?? []).filter((part) => part.type === 'tool_result');
  const compaction = parts?.find((part) => part.type === 'compaction') ?? null;
  return steps === null
    ? null
    : decodeSteps(steps, { text: content, reasoning: reasoning ?? '', toolCalls, toolResults, compaction });
}

/** The text that the steps refer to. */
interface StepWords extends SpokenParts {
  text: string;
  reasoning: string;
}

interface SpokenParts {
  toolCalls: readonly ToolCallPart[];
  toolResults?: readonly ToolResultPart[];
  compaction?: CompactionPart | null;
}

/** Decodes the steps that `encodeSteps` wrote, as far as their text is stored. */
export function decodeSteps(encoded: string, words: StepWords): ReplyStep[] {
  const steps: ReplyStep[] = [];
  const places = { text: 0, reasoning: 0, calls: new Map<number, number>() };
  for (const [, letter, number, length] of encoded.matchAll(/([trcakdoq])(\d+)(?::(\d+))?/g)) {
    const count = Number(number);
    if (letter === TEXT || letter === REASONING) {
      const kind = letter === TEXT ? 'text' : 'reasoning';
      steps.push({ kind, text: words[kind].slice(places[kind], (places[kind] += count)) });
    } else if (letter === COMPACTION) {
      steps.push({ kind: 'compaction', encrypted_content: words.compaction?.encrypted_content ?? '' });
    } else if (letter === CITATION) {
      steps.push({ kind: 'citation', number: count });
    } else if (letter === STARTED) {
      const { state = 'proposed', arguments: all = '', server } = words.toolCalls[count] ?? {};
      const started = { kind: 'tool_started', call: count, state, arguments: all } as const;
      steps.push({ ...started, ...(server && { server }), ...(length && { asked: true as const }) });
    } else if (letter === RESULT) {
      const { id, state = 'failed', edited, arguments: all } = words.toolCalls[count] ?? {};
      const { content = '', is_error = false, passages } = words.toolResults?.find((result) => result.id === id) ?? {};
      const ended = { kind: 'tool_result', call: count, content, is_error, state } as const;
      steps.push({
        ...ended,
        ...(length && { ms: Number(length) }),
        ...(edited && { arguments: all }),
        ...(passages && { passages }),
      });
    } else {
      const { id = '', name = '', arguments: all = '', tool, state } = words.toolCalls[count] ?? {};
      const isGivenUp = state === 'cancelled';
      const from = places.calls.get(count) ?? 0;
      const to = from + Number(length ?? 0);
      places.calls.set(count, to);
      steps.push(
        letter === CALL
          ? { kind: 'tool_call', call: count, id, name, ...(tool && { tool }), ...(isGivenUp && { isGivenUp }) }
          : { kind: 'tool_arguments', call: count, text: all.slice(from, to) },
      );
    }
  }
  return steps;
}

/**
 * The parts of a reply in order, including tool calls and results. Null for a reply that is only text. Reasoning is not
 * included; it has a field of its own.
 */
export function partsOfReply(
  steps: readonly ReplyStep[],
  { toolCalls, compaction = null }: SpokenParts,
): (TextPart | ToolCallPart | ToolResultPart | CompactionPart)[] | null {
  if (toolCalls.length === 0 && compaction === null) {
    return null;
  }
  const parts: (TextPart | ToolCallPart | ToolResultPart | CompactionPart)[] = [];
  for (const step of steps) {
    const last = parts.at(-1);
    if (step.kind === 'tool_call') {
      parts.push(toolCalls[step.call] as ToolCallPart);
    } else if (step.kind === 'tool_result') {
      parts.push(resultPart(toolCalls[step.call]?.id ?? '', step));
    } else if (step.kind === 'compaction') {
      parts.push({ type: 'compaction', encrypted_content: step.encrypted_content });
    } else if (step.kind === 'text' && last?.type === 'text') {
      parts[parts.length - 1] = { ...last, text: last.text + step.text };
    } else if (step.kind === 'text') {
      parts.push({ type: 'text', text: step.text });
    } else if (step.kind === 'citation') {
      addCitation(parts, step.number);
    }
  }
  return parts;
}

/** Adds a citation at the end of the text so far. */
function addCitation(parts: (TextPart | ToolCallPart | ToolResultPart | CompactionPart)[], number: number): void {
  const last = parts.at(-1);
  const isText = last?.type === 'text';
  const { text, citations = [] } = isText ? last : { text: '' };
  const cited = { type: 'text' as const, text, citations: [...citations, { number, index: text.length }] };
  parts.splice(isText ? -1 : parts.length, isText ? 1 : 0, cited);
}

/**
 * Adds stored steps that the reply does not have yet. `from` is the index of the first one. Steps after a gap are
 * ignored.
 */
export function takeSteps(reply: LiveReply, steps: readonly ReplyStep[], from = 0): void {
  const known = reply.steps?.length ?? 0;
  if (from > known) {
    return;
  }
  for (const step of steps.slice(known - from)) {
    switch (step.kind) {
      case 'text':
        reply.append(step.text);
        break;
      case 'reasoning':
        reply.reason(step.text);
        break;
      case 'tool_call':
        reply.callTool(step.id, step.name, step.tool);
        break;
      case 'tool_arguments':
        reply.addArguments(step.call, step.text);
        break;
      case 'tool_started':
      case 'tool_result':
        reply.addToolEvent(step);
        break;
      case 'compaction':
        reply.compact(step.encrypted_content);
        break;
      case 'citation':
        reply.cite(step.number);
        break;
      case 'event':
        break;
    }
  }
  // Also steps that the reply already has: their calls may have been cancelled since.
  for (const step of steps) {
    const call = step.kind === 'tool_call' && step.isGivenUp ? reply.toolCalls[step.call] : undefined;
    if (call !== undefined) {
      call.state ??= 'cancelled';
    }
  }
}

/** Fills a reply from its row. */
export function restore(reply: LiveReply, message: ReplyRow): void {
  const steps = stepsOf(message);
  if (steps !== null) {
    takeSteps(reply, steps);
    return;
  }
  reply.reason(message.reasoning ?? '');
  reply.append(message.content);
}

/** The columns of a reply that is stored with its steps. Empty for others. */
export function storedSteps(
  reply: Pick<LiveReply, 'steps' | 'toolCalls' | 'compaction'>,
): Partial<Pick<ReplyRow, 'steps' | 'parts'>> {
  const { steps } = reply;
  return steps === null ? {} : { steps: encodeSteps(steps), parts: withoutTexts(partsOfReply(steps, reply)) };
}

/** Passages are stored without their texts, which are read when they are needed. */
export function withoutText<Result extends { content: string; passages?: readonly Passage[] }>(result: Result): Result {
  const { passages } = result;
  return passages === undefined
    ? result
    : { ...result, content: '', passages: passages.map(({ text: _text, ...reference }) => reference) };
}

function withoutTexts(parts: ReturnType<typeof partsOfReply>): ReturnType<typeof partsOfReply> {
  return parts?.map((part) => (part.type === 'tool_result' ? withoutText(part) : part)) ?? null;
}

function encodeStep(step: ReplyStep): string {
  switch (step.kind) {
    case 'text':
      return TEXT + step.text.length;
    case 'reasoning':
      return REASONING + step.text.length;
    case 'tool_call':
      return CALL + step.call;
    case 'tool_arguments':
      return `${ARGUMENTS}${step.call}:${step.text.length}`;
    case 'tool_started':
      return STARTED + step.call + (step.asked ? ':1' : '');
    case 'tool_result':
      return RESULT + step.call + (step.ms === undefined ? '' : `:${step.ms}`);
    case 'compaction':
      return `${COMPACTION}0`;
    case 'event':
      return '';
    case 'citation':
      return CITATION + step.number;
  }
}
