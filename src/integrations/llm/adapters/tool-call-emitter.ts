import { randomUUID } from 'node:crypto';
import type { CompletionListener } from '../port/language-model-provider';
import { toStorableText } from '../port/storable-text';
import { WellFormedText } from './well-formed-text';

/** Longest name and id of a call, in characters; real ones have a few dozen. */
const LONGEST_NAME = 256;

/** Passes on the calls of one reply, each with an id of its own. */
export class ToolCallEmitter {
  private readonly calls: EmittedCall[] = [];
  private readonly ids = new Set<string>();

  constructor(private readonly listener: CompletionListener) {}

  get isWanted(): boolean {
    return this.listener.onToolCall !== undefined;
  }

  get count(): number {
    return this.calls.length;
  }

  /** @param id a call without one, or with that of another call, gets a new one: its result must name it */
  begin(id: string, name: string): EmittedCall {
    const index = this.calls.length;
    const given = toStorableText(id);
    const isUsable = given !== '' && given.length <= LONGEST_NAME && !this.ids.has(given);
    const own = isUsable ? given : `call_${randomUUID().replaceAll('-', '')}`;
    this.ids.add(own);
    this.listener.onToolCall?.(index, { id: own, name: toStorableText(name.slice(0, LONGEST_NAME)) });
    const call = new EmittedCall((text) => this.listener.onToolArguments?.(index, text));
    this.calls.push(call);
    return call;
  }

  /** @param isCut whether the reply ended too early, so that arguments may be missing */
  end(isCut: boolean): void {
    this.calls.forEach((call) => call.end(isCut));
  }
}

/** A call whose arguments still arrive. */
export class EmittedCall {
  private hasArguments = false;
  private hasEnded = false;
  private readonly text: WellFormedText;

  /** @param pass receives arguments that are never empty */
  constructor(private readonly pass: (text: string) => void) {
    this.text = new WellFormedText((text) => {
      this.hasArguments = true;
      pass(text);
    });
  }

  add(text: string): void {
    this.text.add(text);
  }

  /** Functions without arguments get an empty object, which some providers leave out. */
  end(isCut: boolean): void {
    if (this.hasEnded) {
      return;
    }
    this.hasEnded = true;
    this.text.end();
    if (!this.hasArguments && !isCut) {
      this.pass('{}');
    }
  }
}
