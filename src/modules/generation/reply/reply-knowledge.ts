import { Injectable } from '@nestjs/common';
import type { Passage } from '../../../integrations/llm/port/message-parts';
import { passagesText } from './passages';
import type { StoredPart } from './stored-parts';

/** The collections of documents. Another module has them, because it charges embeddings with the help of this one. */
export interface KnowledgeSource {
  /** The collections among these that the user may search, with their names. */
  searchable(userId: number, ids: readonly number[]): Promise<{ id: number; name: string }[]>;
  /** The texts of passages, in their order. Null: deleted, or the user may not read it. */
  textsOf(userId: number, passages: readonly Passage[]): Promise<(string | null)[]>;
}

/** Inserts the texts of passages into results of searches, which are stored without them. */
@Injectable()
export class ReplyKnowledge {
  private source: KnowledgeSource = {
    searchable: () => Promise.resolve([]),
    textsOf: (_userId, passages) => Promise.resolve(passages.map(() => null)),
  };

  /** For the module that has the collections; call it in a constructor. */
  useSource(source: KnowledgeSource): void {
    this.source = source;
  }

  /** The collections among these that the user may search, with their names. */
  async searchable(userId: number, ids: readonly number[]): Promise<{ id: number; name: string }[]> {
    return ids.length === 0 ? [] : this.source.searchable(userId, ids);
  }

  /** The passages with the texts that the user may read now. */
  async withTexts(userId: number, passages: readonly Passage[]): Promise<Passage[]> {
    const texts = passages.length === 0 ? [] : await this.source.textsOf(userId, passages);
    return passages.map((passage, index) => ({ ...passage, text: texts[index] ?? null }));
  }

  /**
   * The parts of several messages with the texts that the user may read now. The same lists, without a query, if no
   * message has passages.
   *
   * @param hasMarks whether results show the numbers of passages
   */
  async fill<Parts extends readonly StoredPart[] | null>(
    userId: number | (() => Promise<number>),
    messages: readonly Parts[],
    hasMarks = true,
  ): Promise<readonly Parts[]> {
    if (!messages.some((parts) => parts?.some(hasPassages))) {
      return messages;
    }
    const passages = messages.flatMap((parts) => (parts ?? []).flatMap(passagesOf));
    const read = await this.withTexts(typeof userId === 'number' ? userId : await userId(), passages);
    const texts = new Map(passages.map((passage, index) => [passage, read[index] as Passage]));
    const filled = (part: StoredPart): StoredPart => {
      if (part.type !== 'tool_result' || part.passages === undefined) {
        return part;
      }
      const withText = part.passages.map((passage) => texts.get(passage) ?? passage);
      return { ...part, passages: withText, content: passagesText(withText, hasMarks) };
    };
    return messages.map((parts) => (parts?.some(hasPassages) ? (parts.map(filled) as unknown as Parts) : parts));
  }

  /** Fills the parts of these rows. */
  async fillRows(
    userId: number | (() => Promise<number>),
    rows: readonly { parts: StoredPart[] | null }[],
  ): Promise<void> {
    const filled = await this.fill(
      userId,
      rows.map(({ parts }) => parts),
    );
    rows.forEach((row, index) => (row.parts = filled[index] ?? null));
  }
}

function hasPassages(part: StoredPart): boolean {
  return part.type === 'tool_result' && part.passages !== undefined;
}

function passagesOf(part: StoredPart): readonly Passage[] {
  return part.type === 'tool_result' ? (part.passages ?? []) : [];
}
