import { isObject } from '../../../integrations/llm/port/anthropic-message';
import type { GuardPart } from '../../guard/guard.api';
import type { OwnChanges, PromptStage } from './guarded-turns';

type JsonObject = Record<string, unknown>;

/** Changes the texts of a prompt. */
export interface TextChanges extends OwnChanges {
  /** A text from outside. */
  change(stage: PromptStage, part: GuardPart, text: string): string;
}

/** Where the results in turns come from: the client, or the service itself. */
export type ResultStage = PromptStage;

/** The system prompt and the turns of a request in the format of Anthropic's API, with changed texts. */
export function changedBody(body: JsonObject, changes: TextChanges): JsonObject {
  const { system, messages } = body;
  const instructions = (text: string): string => changes.change('input', 'instructions', text);
  return {
    ...body,
    ...(system !== undefined && { system: changedContent(system, instructions) }),
    ...(Array.isArray(messages) && { messages: changedTurns(messages as unknown[], changes, 'input') }),
  };
}

/** @param stage of the results of tools */
export function changedTurns<Message>(
  messages: readonly Message[],
  changes: TextChanges,
  stage: ResultStage,
): Message[] {
  return messages.map((message) => {
    if (!isObject(message)) {
      return message;
    }
    const isOwn = message.role === 'assistant';
    const ofText = (text: string): string => (isOwn ? changes.changeOwn(text) : changes.change('input', 'text', text));
    const ofBlock = (block: JsonObject): JsonObject => changedBlock(block, { changes, stage, ofText });
    return { ...message, content: changedContent(message.content, ofText, ofBlock) };
  });
}

/** A text, or a list of blocks. */
function changedContent(
  content: unknown,
  ofText: (text: string) => string,
  ofBlock: (block: JsonObject) => JsonObject = (block) => withText(block, ofText),
): unknown {
  if (typeof content === 'string') {
    return ofText(content);
  }
  return Array.isArray(content)
    ? (content as unknown[]).map((block) => (isObject(block) ? ofBlock(block) : block))
    : content;
}

function withText(block: JsonObject, ofText: (text: string) => string): JsonObject {
  return block.type === 'text' && typeof block.text === 'string' ? { ...block, text: ofText(block.text) } : block;
}

interface BlockChanges {
  changes: TextChanges;
  stage: ResultStage;
  ofText: (text: string) => string;
}

function changedBlock(block: JsonObject, { changes, stage, ofText }: BlockChanges): JsonObject {
  const ofFile = (text: string): string => changes.change('input', 'file', text);
  switch (block.type) {
    case 'tool_use':
      return { ...block, input: changedInput(block.input, changes) };
    case 'tool_result': {
      const ofResult = (text: string): string => changes.change(stage, 'text', text);
      const ofNested = (nested: JsonObject): JsonObject => changedBlock(nested, { changes, stage, ofText: ofResult });
      return { ...block, content: changedContent(block.content, ofResult, ofNested) };
    }
    case 'document': {
      const source = isObject(block.source) ? block.source : {};
      const changed =
        source.type === 'text' && typeof source.data === 'string'
          ? { ...source, data: ofFile(source.data) }
          : { ...source, ...('content' in source && { content: changedContent(source.content, ofFile) }) };
      return { ...block, ...changedMembers(block, ['title', 'context'], ofFile), source: changed };
    }
    case 'search_result':
      return { ...block, ...changedMembers(block, ['title'], ofFile), content: changedContent(block.content, ofFile) };
    default:
      return withText(block, ofText);
  }
}

/** The members that are texts, changed. */
function changedMembers(block: JsonObject, names: readonly string[], ofText: (text: string) => string): JsonObject {
  const texts = names.filter((name) => typeof block[name] === 'string' && block[name] !== '');
  return Object.fromEntries(texts.map((name) => [name, ofText(block[name] as string)]));
}

/** Masks within strings leave JSON valid. Anything else stays masked as a text. */
function changedInput(input: unknown, changes: TextChanges): unknown {
  const json = changes.changeOwnJson(JSON.stringify(input ?? {}));
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return { input: json };
  }
}
