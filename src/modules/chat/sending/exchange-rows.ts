import type { EntityManager } from 'typeorm';
import { insertRow, insertRows } from '../../../database/statements/insert';
import { execute } from '../../../database/statements/run-statement';
import { partText } from '../../../integrations/llm/counting/prompt-estimate';
import { fileNames, tokensOfTurn } from '../../generation/generation.api';
import { MessageEntity } from '../conversations/message.entity';
import type { ExchangePlan, StoredTurn } from './exchange-plan';

/** What is stored, and with which request. */
export interface TurnsToStore extends Pick<ExchangePlan, 'before' | 'question' | 'answerer'> {
  task: Pick<ExchangePlan['task'], 'apiKeyId' | 'startedAt'>;
}

/** Turns of one statement. */
const BATCH = 50;

/** UTF-16 units of one statement, unless one turn alone has more. MariaDB takes 16 MiB by default. */
const BATCH_LENGTH = 2_000_000;

/**
 * Stores the messages of an exchange that come before its reply, each as the parent of the next.
 *
 * @returns their ids in order; the last one is the question
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

/** The messages are inserted together, and then each gets the one before it as its parent. */
async function insertChain(manager: EntityManager, rows: Partial<MessageEntity>[]): Promise<number[]> {
  const ids: number[] = [];
  for (let start = 0; start < rows.length; start += ids.length - start) {
    const [head = {}, ...others] = rows.slice(start, endOfBatch(rows, start));
    const parentId = ids.at(-1) ?? head.parentId;
    const added = await insertRows(manager, MessageEntity, [{ ...head, parentId }, ...others]);
    await chain(manager, head.chatId as number, added);
    ids.push(...added);
  }
  return ids;
}

/** Makes each message of a conversation the parent of the next one; the first keeps its own parent. */
async function chain(manager: EntityManager, chatId: number, ids: readonly number[]): Promise<void> {
  const children = ids.slice(1);
  if (children.length === 0) {
    return;
  }
  const cases = children.map(() => 'WHEN ? THEN ?').join(' ');
  const places = children.map(() => '?').join(', ');
  await execute(
    manager,
    `UPDATE chat_messages SET parent_id = CASE id ${cases} END WHERE chat_id = ? AND id IN (${places})`,
    [...children.flatMap((id, index) => [id, ids[index] as number]), chatId, ...children],
  );
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

/** Whether a turn is a reply: it has the position of what it answers. */
function answers(turns: readonly StoredTurn[], index: number): boolean {
  return index > 0 && turns[index]?.role === 'assistant' && turns[index - 1]?.role !== 'assistant';
}

/** Only rows with names of files have a column for them, so that the statement for all others stays the same. */
function toRow({ role, content, stored: parts }: StoredTurn): Partial<MessageEntity> {
  const names = fileNames(parts);
  return { role, content, parts, ...(names !== null && { fileNames: names }) };
}
