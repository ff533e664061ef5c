import {
  type CompactionPart,
  contentOf,
  type MessagePart,
  type TextOfParts,
} from '../../../integrations/llm/port/message-parts';

/** `system`: what a program told the model, not the agent's own prompt. */
export const MESSAGE_ROLES = ['user', 'assistant', 'system'] as const;

export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** A part of a turn. */
export type TurnPart = MessagePart | CompactionPart;

/** One turn of what a model is told. */
export interface Turn {
  role: MessageRole;
  /** The text of its parts, results of functions included (`contentOf`). */
  content: string;
  /** All its parts in their order; null when it is nothing but text. */
  parts: readonly TurnPart[] | null;
}

/** What a turn says in words, without what functions returned. */
export function wordsOf({ content, parts }: { content: string; parts: TextOfParts | null }): string {
  const isOnlyWords = parts === null || parts.every(({ type }) => type !== 'tool_result');
  return isOnlyWords ? content : contentOf(parts.filter(({ type }) => type === 'text'));
}
