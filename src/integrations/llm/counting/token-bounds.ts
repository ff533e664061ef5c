import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { binaryTokens, type EstimatedPart, partText } from './prompt-estimate';
import { TokenCounter } from './token-counter';

/** Tokens that the chat format adds to each message. */
const TOKENS_PER_MESSAGE = 4;

/** UTF-16 units of all texts with cached counts, so that each message is counted once in the rounds of a reply. */
const MOST_UNITS = 4 * 1_048_576;

/** Models that count like o200k_base. OpenRouter and others prefix the name with the maker. */
const COUNTS_ALIKE = /(^|\/)(gpt-(4o|4\.1|4\.5|[5-9]|oss)|chatgpt-4o|o[134](-|$))/;

/** By this factor, other tokenizers may count more. */
const OTHER_TOKENIZERS = 1.35;

/** A message as it is sent, or as it is stored. */
export interface CountedMessage {
  content: string;
  /** Null or absent: it has only its content. */
  parts?: readonly EstimatedPart[] | null;
}

/** The most that a model may count for this o200k_base count. */
export function tokensFor(model: string, counted: number): number {
  return COUNTS_ALIKE.test(model) ? counted : Math.ceil(counted * OTHER_TOKENIZERS);
}

/**
 * Upper bounds for tokens by o200k_base, for the holds of hard budgets. Estimates are cheaper, but too low for rare
 * scripts and random letters.
 */
@Injectable()
export class TokenBounds {
  private readonly counts = new LRUCache<string, number>({
    maxSize: MOST_UNITS,
    sizeCalculation: (_count, text) => text.length + 1,
  });

  constructor(private readonly counter: TokenCounter) {}

  /**
   * Counts texts that are not cached yet. It may take 20 ms for each: never call it in a transaction.
   *
   * @returns false if they could not be counted
   */
  async count(texts: readonly string[]): Promise<boolean> {
    const missing = this.missing(texts);
    if (missing.length === 0) {
      return true;
    }
    const counts = await this.counter.boundAll(missing);
    counts?.forEach((count, index) => this.counts.set(missing[index] as string, count));
    return counts !== null;
  }

  /** The texts that still have to be counted. */
  missing(texts: readonly string[]): string[] {
    return [...new Set(texts)].filter((text) => text !== '' && text.length < MOST_UNITS && !this.counts.has(text));
  }

  /** The count, or the number of bytes, because a token has at least one byte. */
  of(text: string): number {
    return text === '' ? 0 : (this.counts.get(text) ?? bytesOf(text));
  }

  /** Files and images are estimated as for the context. */
  ofParts(parts: readonly EstimatedPart[]): number {
    return parts.reduce((sum, part) => {
      switch (part.type) {
        case 'image':
          return sum + binaryTokens(part);
        case 'file':
          return sum + (part.media_type.startsWith('text/') ? bytesOfFile(part) : binaryTokens(part));
        case 'compaction':
          return sum + part.encrypted_content.length;
        default:
          return sum + this.of(partText(part));
      }
    }, 0);
  }

  ofMessages(messages: readonly CountedMessage[]): number {
    return messages.reduce((sum, message) => sum + this.ofMessage(message) + TOKENS_PER_MESSAGE, 0);
  }

  ofMessage({ content, parts }: CountedMessage): number {
    return parts ? this.ofParts(parts) : this.of(content);
  }
}

/** The texts of messages to count. */
export function messageTexts(messages: readonly CountedMessage[]): string[] {
  return messages.flatMap(({ content, parts }) => parts?.map(partText) ?? [content]);
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** What precedes the text of a file that is sent as text, without the name. */
const TITLE_BYTES = 32;

function bytesOfFile(file: EstimatedPart & { type: 'file' | 'image' }): number {
  const title = file.as_text ? TITLE_BYTES + bytesOf(file.name ?? '') : 0;
  return title + ('data' in file ? file.data.length : file.bytes);
}
