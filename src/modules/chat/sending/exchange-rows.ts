import type { EntityManager } from 'typeorm';
import type { DomainEvent } from '../../../common/events/domain-events';
import { insertRow, insertRows } from '../../../database/statements/insert';
import { pageTokens, partText } from '../../../integrations/llm/counting/prompt-estimate';
import { fileNames, isFromOutside, tokensOfTurn } from '../../generation/generation.api';
import type { KeptMessage } from '../../usage/usage.api';
import { MessageEntity } from '../conversations/message.entity';
import { messageCreatedEvent } from '../conversations/message.events';
import { setParents } from '../conversations/message-parents';
import type { ExchangePlan, StoredTurn } from './exchange-plan';
import { toKeptMessage } from './turn-files';

/** A turn that was stored as a message. */
export interface AddedTurn extends Pick<StoredTurn, 'role' | 'content' | 'parts' | 'stored'> {
  messageId: number;
}

/** The conversation and time of the messages. */
interface TurnPlace {
  userId: number;
  agentId: number;
  chatId: number;
  at: Date;
}

/** The rows to store, and the request that stores them. */
export interface TurnsToStore extends Pick<ExchangePlan, 'before' | 'question' | 'answerer'> {
  task: Pick<ExchangePlan['task'], 'apiKeyId' | 'startedAt'>;
}

/** Turns per statement. */
const BATCH = 50;

/** UTF-16 code units per statement, unless a single turn has more. MariaDB accepts 16 MiB by default. */
const BATCH_LENGTH = 2_000_000;

/**
 * Stores the messages of an exchange before its reply, each as the parent of the next.
 *
 * @returns their IDs in order, with the question last
 */
export async function insertTurns(manager: EntityManager, plan: TurnsToStore, chatId: number): Promise<number[]> {
  const { before, question, answerer, task } = plan;
  const first = question.position - before.length;
  const rows: Partial<MessageEntity>[] = [
    ...before.map((turn, index) => ({
      ...toRow(turn),
      position: first + index - (answers(before, index) ? 1 : 0),
      tokenCount: tokensOfTurn(turn),
    })),
    { ...toRow(question), position: question.position, tokenCount: question.tokens, language: question.language },
  ].map((row) => ({
    ...row,
    chatId,
    parentId: question.parentId,
    status: 'completed',
    isCurrent: true,
    answerer,
    apiKeyId: task.apiKeyId,
    createdAt: task.startedAt,
    updatedAt: task.startedAt,
    completedAt: task.startedAt,
  }));
  return rows.length === 1 ? [await insertRow(manager, MessageEntity, rows[0] ?? {})] : insertChain(manager, rows);
}

/** The messages are inserted together. Then each gets the preceding one as its parent. */
async function insertChain(manager: EntityManager, rows: Partial<MessageEntity>[]): Promise<number[]> {
  const ids: number[] = [];
  for (let start = 0; start < rows.length; start += ids.length - start) {
    const [head = {}, ...others] = rows.slice(start, endOfBatch(rows, start));
    const parentId = ids.at(-1) ?? head.parentId;
    const added = await insertRows(manager, MessageEntity, [{ ...head, parentId }, ...others]);
    // The first message has its own parent.
    const parents = added.slice(1).map((id, index): [number, number] => [id, added[index] as number]);
    await setParents(manager, head.chatId as number, new Map(parents));
    ids.push(...added);
  }
  return ids;
}

function endOfBatch(rows: readonly Partial<MessageEntity>[], start: number): number {
  let end = start;
  let length = 0;
  do {
    length += lengthOf(rows[end++]);
  } while (end < rows.length && end - start < BATCH && length + lengthOf(rows[end]) <= BATCH_LENGTH);
  return end;
}

function lengthOf({ content = '', parts }: Partial<MessageEntity> = {}): number {
  return (parts ?? []).reduce((sum, part) => sum + partText(part).length, content.length);
}

/** Untrusted content taints a conversation permanently. Only then does the statement set the column. */
export function taintChanges(turns: readonly StoredTurn[], at: Date): { taintedAt?: Date } {
  return turns.some(({ stored }) => stored?.some(isFromOutside)) ? { taintedAt: at } : {};
}

/** Whether a turn is a reply, which has the position of its question. */
function answers(turns: readonly StoredTurn[], index: number): boolean {
  return index > 0 && turns[index]?.role === 'assistant' && turns[index - 1]?.role !== 'assistant';
}

/** Only rows with files set the file columns, so that the statement for all others stays the same. */
function toRow({ role, content, stored: parts }: StoredTurn): Partial<MessageEntity> {
  const names = fileNames(parts);
  const hasFiles = parts?.some(({ type }) => type === 'file' || type === 'searched_file');
  return {
    role,
    content,
    parts,
    ...(names !== null && { fileNames: names }),
    ...(hasFiles && { pageTokens: pageTokens(parts ?? []) }),
  };
}

/** The turns with the IDs of their messages. */
export function addedTurns(turns: readonly StoredTurn[], ids: readonly number[]): AddedTurn[] {
  return turns.map(({ role, content, parts, stored }, index) => ({
    messageId: ids[index] as number,
    role,
    content,
    parts,
    stored,
  }));
}

/** The turns with content. A request that only compacts a conversation may have an empty turn. */
export function saidTurns(turns: readonly AddedTurn[]): readonly AddedTurn[] {
  return turns.filter(({ content, stored }) => content !== '' || stored?.length);
}

/** The event for a stored message. */
export function turnEvent(
  { userId, agentId, chatId, at: createdAt }: TurnPlace,
  { messageId: id, role, content, stored: parts }: AddedTurn,
): DomainEvent {
  return messageCreatedEvent({ userId, agentId }, { id, chatId, role, status: 'completed', content, parts, createdAt });
}

/**
 * The data of the turns that counts for the storage quota.
 *
 * @param countsTexts whether a client sent them
 */
export function turnsKept(turns: readonly AddedTurn[], countsTexts: boolean): KeptMessage[] {
  return turns.map((turn) => toKeptMessage(turn.messageId, turn, countsTexts));
}
