import { AnthropicMessage, objectIn, readAnthropicEvent } from '../../../integrations/llm/port/anthropic-message';
import { MarkReader } from '../../generation/generation.api';
import { SEARCH_KNOWLEDGE } from '../../tool/tool.api';
import { eventText } from '../translation/reply/server-sent-event';
import { summedUsage } from './summed-usage';

type Event = Record<string, unknown> & { type: string };

/** A round of a reply: one request to the provider. */
interface Round {
  message: AnthropicMessage;
  /** The number of each block in the client's message, by its number in this round. */
  places: Map<number, number>;
  /** The blocks that are not shown: calls of the agent's own tools. */
  hidden: Set<number>;
  thoughts: Set<number>;
  /** Events that wait until it is known whether this is the last round. Null: they need not wait. */
  held: Event[] | null;
  callsClient: boolean;
  /** Removes the marks of passages from the text of a block. */
  marks: Map<number, MarkReader>;
}

/**
 * Turns the events of an agent's rounds into those of one message: one start, blocks numbered without gaps, and one end
 * with the summed usage. Calls of the agent's own tools are left out, and so is the thinking of all rounds but the last.
 * A round with thinking therefore waits until it is known to be the last.
 */
export class AgentEvents {
  private readonly rounds: Round[] = [];
  private count = 0;

  /** @param model as named in the request @param own names of the agent's own tools */
  constructor(
    private readonly model: string,
    private readonly own: ReadonlySet<string>,
  ) {}

  /** @param text of an event of the provider */
  add(text: string): string {
    const event = readAnthropicEvent(text) as Event | null;
    if (event?.type === 'message_start') {
      const renamed = eventText({ ...event, message: { ...objectIn(event.message), model: this.model } } as Event);
      return this.own.size === 0 ? renamed : this.beginRound(event, renamed);
    }
    const round = this.rounds.at(-1);
    return event === null || round === undefined || event.type === 'ping' ? text : this.addTo(round, event, text);
  }

  /** The rest, after the last round. */
  end(): string {
    const round = this.rounds.at(-1);
    if (round === undefined) {
      return '';
    }
    const shown = this.release(round, true);
    const { usage: _usage, id: _id, model: _model, ...fields } = round.message.fields;
    const delta = Object.fromEntries(
      ['container', 'stop_reason', 'stop_sequence', 'stop_details'].flatMap((name) =>
        name in fields ? [[name, fields[name]]] : [],
      ),
    );
    if (delta.stop_reason === 'tool_use' && !round.callsClient) {
      // The model may call no more tools, so its last calls stay unanswered.
      delta.stop_reason = 'end_turn';
    }
    const usage = summedUsage(this.rounds.map(({ message }) => objectIn(message.fields.usage)));
    const stopped = { type: 'message_delta', delta, usage };
    return shown + eventText(stopped) + eventText({ type: 'message_stop' });
  }

  private beginRound(event: Event, renamed: string): string {
    const before = this.rounds.at(-1);
    const round: Round = {
      message: new AnthropicMessage(),
      places: new Map(),
      hidden: new Set(),
      thoughts: new Set(),
      held: null,
      callsClient: false,
      marks: new Map(),
    };
    round.message.add(event);
    this.rounds.push(round);
    return before === undefined ? renamed : this.release(before, false);
  }

  private addTo(round: Round, event: Event, text: string): string {
    switch (event.type) {
      case 'content_block_start':
        return this.beginBlock(round, event);
      case 'content_block_delta':
        return this.show(round, this.own.has(SEARCH_KNOWLEDGE) ? withoutMarks(round, event) : event);
      case 'content_block_stop':
        return (
          heldText(round, event)
            .map((held) => this.show(round, held))
            .join('') + this.show(round, event)
        );
      case 'message_delta':
        round.message.add(event);
        return '';
      case 'message_stop':
        return '';
      default:
        return text;
    }
  }

  private beginBlock(round: Round, event: Event): string {
    const index = Number(event.index);
    const { type, name } = objectIn(event.content_block);
    if (type === 'tool_use' && this.own.has(String(name))) {
      round.hidden.add(index);
      return '';
    }
    if (type === 'tool_use') {
      // The client must answer, so no other round follows.
      round.callsClient = true;
      return this.release(round, true) + this.show(round, event);
    }
    if (type === 'thinking' || type === 'redacted_thinking') {
      round.thoughts.add(index);
      round.held ??= round.callsClient ? null : [];
    }
    return this.show(round, event);
  }

  private show(round: Round, event: Event): string {
    if (round.hidden.has(Number(event.index))) {
      return '';
    }
    if (round.held !== null) {
      round.held.push(event);
      return '';
    }
    return this.numbered(round, event);
  }

  private release(round: Round, isLast: boolean): string {
    const held = round.held ?? [];
    round.held = null;
    const shown = isLast ? held : held.filter(({ index }) => !round.thoughts.has(Number(index)));
    return shown.map((event) => this.numbered(round, event)).join('');
  }

  private numbered({ places }: Round, event: Event): string {
    const own = Number(event.index);
    if (!places.has(own)) {
      places.set(own, this.count++);
    }
    return eventText({ ...event, index: places.get(own) } as Event);
  }
}

/** The passages that a text uses are no part of this API, so their marks disappear. */
function withoutMarks({ marks }: Round, event: Event): Event {
  const { text, ...delta } = objectIn(event.delta);
  if (typeof text !== 'string') {
    return event;
  }
  const index = Number(event.index);
  const reader = marks.get(index) ?? new MarkReader();
  marks.set(index, reader);
  return {
    ...event,
    delta: {
      ...delta,
      text: reader
        .read(text)
        .filter((part) => typeof part === 'string')
        .join(''),
    },
  };
}

/** The end of a text that could have been the start of a mark. */
function heldText({ marks }: Round, { index }: Event): Event[] {
  const text = marks.get(Number(index))?.end() ?? '';
  return text === '' ? [] : [{ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }];
}
