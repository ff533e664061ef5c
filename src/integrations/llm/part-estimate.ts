import type { BinaryPart, MessagePart } from './message-parts';
import { estimateTokens } from './token-estimate';

/** Tokens that an image takes: OpenAI's and Anthropic's prices for one of about a megapixel, rather too many. */
const IMAGE_TOKENS = 1_600;

/** Tokens that a document takes at the least, and for each of its bytes; PDFs have about one page in 50 KB. */
const FILE_TOKENS = 1_500;
const FILE_TOKENS_PER_BYTE = 0.03;

/** A part as it is sent, or as it is stored without its bytes. */
export type EstimatedPart =
  Exclude<MessagePart, BinaryPart> | (Omit<BinaryPart, 'data'> & ({ data: Uint8Array } | { bytes: number }));

/** Estimates the tokens of parts, as `estimateTokens` does of a text. */
export function estimateParts(parts: readonly EstimatedPart[]): number {
  return parts.reduce((sum, part) => sum + estimatePart(part), 0);
}

function estimatePart(part: EstimatedPart): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return estimateTokens(part.text);
    case 'tool_call':
      return estimateTokens(part.name) + estimateTokens(part.arguments);
    case 'tool_result':
      return estimateTokens(part.content);
    case 'image':
      return IMAGE_TOKENS;
    case 'file':
      return FILE_TOKENS + Math.ceil(FILE_TOKENS_PER_BYTE * ('data' in part ? part.data.length : part.bytes));
  }
}
