import type { BinaryPart } from '../../../integrations/llm/port/message-parts';
import type { GuardPart, GuardScope } from '../../guard/guard.api';
import type { RunningReply } from './running-reply';
import type { Turn, TurnPart } from './stored-parts';

/** A text of a prompt that guards check. */
export interface TurnText {
  text: string;
  part: GuardPart;
}

/** The user and the context of the texts of a reply. Its trace gets the checks. */
export function guardScopeOf(reply: RunningReply): GuardScope {
  const { task, chatId, messageId, charged } = reply;
  const { userId, apiKeyId, groupIds = [], agent, language } = task;
  return {
    ...{ userId, apiKeyId, groupIds, language, messageId, charged },
    agent: { id: agent.id, name: agent.name },
    chatId: chatId === 0 ? null : chatId,
    record: (check) => reply.guardChecks.push(check),
  };
}

/** The texts of a turn, in the order of its parts. Images and other files have none. */
export function textsOfTurn({ content, parts }: Pick<Turn, 'content' | 'parts'>): TurnText[] {
  return parts === null ? [{ text: content, part: 'text' }] : parts.flatMap(textOfPart);
}

/** Whether guards can read a file: its text replaces it, or it is text. Others are not checked. */
export function hasText({ as_text: isText, media_type: type }: Pick<BinaryPart, 'as_text' | 'media_type'>): boolean {
  return isText === true || type.startsWith('text/');
}

function textOfPart(part: TurnPart): TurnText[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ text: part.text, part: part.type }];
    case 'tool_call':
      return [{ text: part.arguments, part: 'arguments' }];
    case 'tool_result':
      return [{ text: part.content, part: 'text' }];
    case 'image':
    case 'file':
      return hasText(part) ? [{ text: new TextDecoder().decode(part.data), part: 'file' }] : [];
    // The passages that models get of a searched file are results of a tool.
    case 'searched_file':
    case 'compaction':
      return [];
  }
}
