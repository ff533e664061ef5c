import type { ToolCallPart, ToolResultPart } from '../../../integrations/llm/port/message-parts';
import type { ReplyRow } from '../reply/reply-row';
import { resultPart, takeNews } from '../reply/reply-step';
import { decodeSteps, partsOfReply } from '../reply/reply-steps';
import type { StoredPart } from '../reply/stored-parts';
import type { ReplyPieceEntity } from './reply-piece.entity';

/** What is stored of the words of a reply. */
export type StoredWords = Pick<ReplyRow, 'content' | 'reasoning' | 'steps' | 'parts'>;

/** The words of a row and of the pieces that follow it, in their order. */
export function joinPieces(row: StoredWords, pieces: readonly ReplyPieceEntity[]): StoredWords {
  const content = row.content + pieces.map((piece) => piece.content).join('');
  const reasoning = (row.reasoning ?? '') + pieces.map((piece) => piece.reasoning).join('');
  const words = { content, reasoning: reasoning === '' ? null : reasoning };
  if (row.steps === null) {
    return { ...words, steps: null, parts: row.parts };
  }
  const steps = [row.steps, ...pieces.map((piece) => piece.steps)].filter((part) => part !== '').join();
  const toolCalls = joinCalls(row.parts ?? [], pieces);
  const toolResults = joinResults(row.parts ?? [], toolCalls, pieces);
  const compaction = row.parts?.find((part) => part.type === 'compaction') ?? null;
  const decoded = decodeSteps(steps, { text: content, reasoning, toolCalls, toolResults, compaction });
  return { ...words, steps, parts: partsOfReply(decoded, { toolCalls, compaction }) };
}

function joinCalls(parts: readonly StoredPart[], pieces: readonly ReplyPieceEntity[]): ToolCallPart[] {
  const calls = parts.filter((part) => part.type === 'tool_call').map((call) => ({ ...call }));
  for (const step of pieces.flatMap((piece) => piece.calls ?? [])) {
    if (step.kind === 'tool_call') {
      calls.push({
        type: 'tool_call',
        id: step.id,
        name: step.name,
        arguments: '',
        ...(step.tool && { tool: step.tool }),
      });
    } else if (step.kind === 'tool_arguments') {
      const call = calls[step.call];
      if (call !== undefined) {
        call.arguments += step.text;
      }
    } else if (step.kind === 'tool_started' || step.kind === 'tool_result') {
      const call = calls[step.call];
      if (call !== undefined) {
        takeNews(call, step);
      }
    }
  }
  return calls;
}

function joinResults(
  parts: readonly StoredPart[],
  calls: readonly ToolCallPart[],
  pieces: readonly ReplyPieceEntity[],
): ToolResultPart[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  for (const step of pieces.flatMap((piece) => piece.calls ?? [])) {
    if (step.kind === 'tool_result') {
      results.push(resultPart(calls[step.call]?.id ?? '', step));
    }
  }
  return results;
}
