import type { ModelMessage } from '../../port/language-model-provider';

/** Separates instructions that are joined. */
export const BETWEEN_INSTRUCTIONS = '\n\n';

/** The texts of all system messages, wherever they are in the conversation. */
export function systemTexts(messages: readonly ModelMessage[]): string[] {
  return messages.filter(({ role, content }) => role === 'system' && content !== '').map(({ content }) => content);
}
