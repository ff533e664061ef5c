import { contentOf } from '../../../integrations/llm/port/message-parts';
import type { CheckedTexts, GuardPart, TextToCheck } from '../../guard/guard.api';
import { hasText } from '../reply/guard-scope';
import { isBinary, type Turn, type TurnPart } from '../reply/stored-parts';

/** The stored result of a call that a guard has blocked. Models receive it as an error. */
export const BLOCKED_RESULT = '[blocked]';

/** The stages of the texts in a prompt. */
export type PromptStage = 'input' | 'tool_result';

/** Changes what the model itself has written. */
export interface OwnChanges {
  changeOwn(text: string): string;
  /** The same for arguments of calls, which are JSON. */
  changeOwnJson(json: string): string;
}

type CheckedText = Awaited<ReturnType<CheckedTexts['mask']>>[number];

/** The texts of a prompt that guards must check, and what they leave of them. */
export class PromptTexts {
  private readonly found = { input: new Map<string, TextToCheck>(), tool_result: new Map<string, TextToCheck>() };
  private readonly known = new Map<string, CheckedText>();

  /** The texts to check, each once. */
  textsOf(stage: PromptStage): TextToCheck[] {
    return [...this.found[stage].values()];
  }

  note(stage: PromptStage, checked: readonly CheckedText[]): void {
    this.textsOf(stage).forEach(({ part, text }, index) =>
      this.known.set(stage + part + text, checked[index] as CheckedText),
    );
  }

  /** What is known of a text. Before `note`: the text itself, which is noted to be checked. */
  find(stage: PromptStage, part: GuardPart, text: string): CheckedText {
    this.found[stage].set(part + text, { part, text });
    return this.known.get(stage + part + text) ?? { text, isBlocked: false };
  }
}

/** The turn as a model receives it. */
export function changedTurn(turn: Turn, texts: PromptTexts, own: OwnChanges): Turn {
  return changed(turn, (stage, part, text) => texts.find(stage, part, text), own);
}

type Change = (stage: PromptStage, part: GuardPart, text: string) => CheckedText;

function changed(turn: Turn, change: Change, own: OwnChanges): Turn {
  const { role, content, parts } = turn;
  const ofText = (text: string): string => {
    return role === 'assistant'
      ? own.changeOwn(text)
      : change('input', role === 'system' ? 'instructions' : 'text', text).text;
  };
  if (parts === null) {
    return { ...turn, content: ofText(content) };
  }
  const sent = parts.map((part): TurnPart => changedPart(part, { ofText, change, own }));
  return { ...turn, content: contentOf(sent), parts: sent };
}

interface PartChanges {
  ofText: (text: string) => string;
  change: Change;
  own: OwnChanges;
}

function changedPart(part: TurnPart, { ofText, change, own }: PartChanges): TurnPart {
  if (part.type === 'text') {
    return { ...part, text: ofText(part.text) };
  }
  if (part.type === 'tool_call') {
    return { ...part, arguments: own.changeOwnJson(part.arguments) };
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
