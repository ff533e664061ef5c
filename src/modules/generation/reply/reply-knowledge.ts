import { Injectable } from '@nestjs/common';
import { SECOND_MILLISECONDS } from '../../../common/time';
import type { Passage, SearchedFile } from '../../../integrations/llm/port/message-parts';
import { passagesText } from './passages';
import type { StoredPart, TurnPart } from './stored-parts';
import type { WrittenReply } from './written-reply';

/** The collections of documents. Another module has them, because it charges embeddings with the help of this one. */
export interface KnowledgeSource {
  /** The collections among these that the user may search, with their names. */
  searchable(userId: number, ids: readonly number[]): Promise<{ id: number; name: string }[]>;
  /** The texts of passages, in their order. Null: deleted, or the user may not read it. */
  textsOf(userId: number, passages: readonly Passage[]): Promise<(string | null)[]>;
  /**
   * What models read instead of files of a conversation, by their ids, after waiting for those that are being read.
   *
   * @param signal ends the wait
   */
  notesOf(chatId: number, files: readonly SearchedFile[], signal: AbortSignal): Promise<ReadonlyMap<number, string>>;
}

/** How long after its start a reply waits for the files of its message to be read. */
const FILE_MILLISECONDS = 20 * SECOND_MILLISECONDS;

/** Inserts the texts of passages into results of searches, which are stored without them. */
@Injectable()
export class ReplyKnowledge {
  private source: KnowledgeSource = {
    searchable: () => Promise.resolve([]),
    textsOf: (_userId, passages) => Promise.resolve(passages.map(() => null)),
    notesOf: () => Promise.resolve(new Map()),
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

  /**
   * The parts of a prompt with what models read instead of the files that they search. The same lists, without a query,
   * if there are no such files.
   */
  async describeFiles<Parts extends readonly (TurnPart | StoredPart)[] | null>(
    { chatId, signal, task }: Pick<WrittenReply, 'chatId' | 'signal' | 'task'>,
    messages: readonly Parts[],
  ): Promise<readonly Parts[]> {
    const files = messages.flatMap((parts) => (parts ?? []).flatMap((part) => (isSearched(part) ? [part] : [])));
    if (files.length === 0) {
      return messages;
    }
    const left = task.startedAt.getTime() + FILE_MILLISECONDS - Date.now();
    const wait = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.min(left, FILE_MILLISECONDS)))]);
    const notes = await this.source.notesOf(chatId, files, wait);
    const described = <Part extends TurnPart | StoredPart>(part: Part): Part =>
      isSearched(part) ? { ...part, note: notes.get(part.file_id ?? 0) } : part;
    return messages.map((parts) => (parts?.some(isSearched) ? (parts.map(described) as unknown as Parts) : parts));
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

function isSearched(part: TurnPart | StoredPart): part is SearchedFile {
  return part.type === 'searched_file';
}

function hasPassages(part: StoredPart): boolean {
  return part.type === 'tool_result' && part.passages !== undefined;
}

function passagesOf(part: StoredPart): readonly Passage[] {
  return part.type === 'tool_result' ? (part.passages ?? []) : [];
}
