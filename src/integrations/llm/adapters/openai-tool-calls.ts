import { isObject, type JsonObject, objectAt } from './json-object';
import { failureForAnswer } from './refusals/provider-failure';
import type { ReplyEmitter } from './reply-emitter';
import type { EmittedCall } from './tool-call-emitter';

/** A call that is being read. It goes out with its first argument: until then its name may still grow. */
interface StreamedCall {
  id: string;
  name: string;
  emitted: EmittedCall | null;
}

/**
 * Joins the deltas of calls. OpenAI numbers them and gives id and name once; other servers leave out the number or the id, say
 * both with every piece, give every call the number 0, send a call whole, or with arguments that are no text.
 */
export class OpenAiToolCalls {
  private readonly calls: StreamedCall[] = [];
  private readonly byIndex = new Map<number, StreamedCall>();

  constructor(private readonly emitter: ReplyEmitter) {}

  /** `function_call` is the former name for the only call of a reply. */
  read({ tool_calls, function_call }: JsonObject): void {
    const pieces = Array.isArray(tool_calls) ? tool_calls.filter(isObject) : [];
    if (pieces.length === 0 && isObject(function_call)) {
      pieces.push({ index: 0, function: function_call });
    }
    pieces.forEach((piece) => this.readPiece(piece));
  }

  /** Passes on calls without arguments. */
  end(): void {
    this.calls.forEach((call) => this.emit(call));
  }

  private readPiece(piece: JsonObject): void {
    const called = objectAt(piece, 'function');
    const [id, name] = [textIn(piece.id), textIn(called.name)];
    const call = this.find(typeof piece.index === 'number' ? piece.index : null, id, name);
    if (call.emitted === null) {
      call.id ||= id;
      call.name = joinedName(call.name, name);
    }
    const text = isObject(called.arguments) ? JSON.stringify(called.arguments) : textIn(called.arguments);
    if (text === '') {
      this.emitter.activity();
    } else if (call.name === '') {
      throw failureForAnswer('A tool call has arguments before it has a name.');
    } else {
      this.emit(call)?.add(text);
    }
  }

  private find(index: number | null, id: string, name: string): StreamedCall {
    const known = index === null ? this.findUnnumbered(id, name) : this.byIndex.get(index);
    const isOther = known !== undefined && name !== '' && id !== '' && known.id !== '' && id !== known.id;
    const call = known === undefined || isOther ? this.add() : known;
    if (index !== null) {
      this.byIndex.set(index, call);
    }
    return call;
  }

  /** Without an id, a name after arguments begins another call. */
  private findUnnumbered(id: string, name: string): StreamedCall | undefined {
    const last = this.calls.at(-1);
    const isNext = id === '' && name !== '' && last?.emitted !== null;
    return isNext ? undefined : (this.calls.find((call) => id !== '' && call.id === id) ?? last);
  }

  private add(): StreamedCall {
    this.end();
    const call: StreamedCall = { id: '', name: '', emitted: null };
    this.calls.push(call);
    return call;
  }

  private emit(call: StreamedCall): EmittedCall | null {
    if (call.emitted === null && call.name !== '') {
      call.emitted = this.emitter.beginCall(call.id, call.name);
    }
    return call.emitted;
  }
}

/** A name comes once, again and again, or in pieces. */
function joinedName(before: string, name: string): string {
  return name.startsWith(before) ? name || before : before + name;
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
