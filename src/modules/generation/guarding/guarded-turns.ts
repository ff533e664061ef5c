import { contentOf } from '../../../integrations/llm/port/message-parts';
import type { CheckedTexts, GuardPart, Masks, TextToCheck } from '../../guard/guard.api';
import { hasText } from '../reply/guard-scope';
import { isBinary, type Turn, type TurnPart } from '../reply/stored-parts';

/** The stored result of a call that a guard has blocked. Models receive it as an error. */
export const BLOCKED_RESULT = '[blocked]';

type PromptStage = 'input' | 'tool_result';

type CheckedText = Awaited<ReturnType<CheckedTexts['mask']>>[number];

/** Replaces the texts of a prompt by those that guards leave. */
export class GuardedTurns {
  private readonly known = new Map<string, CheckedText>();

  constructor(private readonly masks: Masks) {}

  /** The texts to check, each once. @param instructions of the user and the client */
  textsOf(turns: readonly Turn[], instructions: readonly string[]): Record<PromptStage, TextToCheck[]> {
    const found = { input: new Map<string, TextToCheck>(), tool_result: new Map<string, TextToCheck>() };
    const add = (stage: PromptStage, part: GuardPart, text: string): string => {
      found[stage].set(part + text, { part, text });
      return text;
    };
    instructions.forEach((text) => add('input', 'instructions', text));
    turns.forEach((turn) => changed(turn, (stage, part, text) => ({ text: add(stage, part, text), isBlocked: false })));
    return { input: [...found.input.values()], tool_result: [...found.tool_result.values()] };
  }

  note(stage: PromptStage, texts: readonly TextToCheck[], checked: readonly CheckedText[]): void {
    texts.forEach(({ part, text }, index) => this.known.set(stage + part + text, checked[index] as CheckedText));
  }

  find(stage: PromptStage, part: GuardPart, text: string): CheckedText {
    return this.known.get(stage + part + text) ?? { text, isBlocked: false };
  }

  /** The turn as a model receives it. */
  masked(turn: Turn): Turn {
    return changed(
      turn,
      (stage, part, text) => this.find(stage, part, text),
      (text) => this.masks.applyKnown(text),
    );
  }
}

type Change = (stage: PromptStage, part: GuardPart, text: string) => CheckedText;

/** @param changeOwn changes what the model itself has written */
function changed(turn: Turn, change: Change, changeOwn: (text: string) => string = (text) => text): Turn {
  const { role, content, parts } = turn;
  const ofText = (text: string): string => {
    return role === 'assistant'
      ? changeOwn(text)
      : change('input', role === 'system' ? 'instructions' : 'text', text).text;
  };
  if (parts === null) {
    return { ...turn, content: ofText(content) };
  }
  const own = parts.map((part): TurnPart => changedPart(part, { ofText, change, changeOwn }));
  return { ...turn, content: contentOf(own), parts: own };
}

interface PartChanges {
  ofText: (text: string) => string;
  change: Change;
  changeOwn: (text: string) => string;
}

function changedPart(part: TurnPart, { ofText, change, changeOwn }: PartChanges): TurnPart {
  if (part.type === 'text') {
    return { ...part, text: ofText(part.text) };
  }
  if (part.type === 'tool_call') {
    return { ...part, arguments: changeOwn(part.arguments) };
  }
  if (part.type === 'tool_result') {
    const stage = part.is_error === undefined ? 'input' : 'tool_result';
    const { text, isBlocked } = change(stage, 'text', part.content);
    return { ...part, content: text, ...((isBlocked || part.content === BLOCKED_RESULT) && { is_error: true }) };
  }
  if (part.type !== 'compaction' && isBinary(part) && hasText(part)) {
    const { text } = change('input', 'file', new TextDecoder().decode(part.data));
    return { ...part, data: Buffer.from(text) };
  }
  return part;
}
