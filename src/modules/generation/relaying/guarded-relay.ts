import type { MeterListener } from '../../../integrations/llm/model-relays';
import { GuardedEvents } from '../guarding/guarded-events';
import type { GuardedReply } from '../guarding/guarded-reply';
import { OutputBlockedError } from '../guarding/window-release';
import type { RunningReply } from '../reply/running-reply';
import type { RelaySink } from './relay-order';

/** Passes a relayed response to the guards of the output, and what they release to the client. */
export class GuardedRelay {
  /** Whether a guard has blocked the output. The response is then complete. */
  isBlocked = false;
  private readonly released: string[] = [];
  private readonly events: GuardedEvents;

  constructor(
    guarded: GuardedReply,
    private readonly reply: RunningReply,
    listener: MeterListener,
    private readonly sink: RelaySink,
  ) {
    this.events = new GuardedEvents(guarded, reply.signal, {
      onText: (text) => listener.onText(text),
      onReasoning: (text) => listener.onReasoning(text),
      onToolCall: (_index, { id, name }) => listener.onToolCall(id, name, 'tool_use'),
      onToolArguments: (_index, text) => listener.onToolArguments(text),
      onEvent: (text) => this.released.push(text),
    });
  }

  /** @param bytes a complete event of a stream, or a whole message @throws GuardUnavailableError */
  async write(bytes: Buffer): Promise<void> {
    try {
      await this.events.take(bytes.toString('utf8'));
    } catch (error) {
      this.reply.withheld += this.events.withheld;
      if (!(error instanceof OutputBlockedError)) {
        throw error;
      }
      this.isBlocked = true;
    }
    for (const event of this.released.splice(0)) {
      await this.sink.write(Buffer.from(event));
    }
  }
}
