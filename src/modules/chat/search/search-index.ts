import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { readRows, toBytes } from '../../../database/statements/long-reads';
import { idList } from '../../../database/statements/rows-by-id';
import { gramsOf } from './grams';
import { intersection, SEGMENT_MESSAGES, setBits } from './postings';
import { type SegmentRun, toNumbers, toRuns } from './segment-messages';

/** Beyond so many messages that are in no segment yet, as after an update, the index is of no use. */
const MOST_LAG = 50_000;

/** What the index knows about a text, for one user. */
export interface IndexAnswer {
  /** Messages after this one may have the text too, whoever wrote them. */
  lastId: number;
  /** The newest message of all. */
  newestId: number;
  candidates: Candidates;
}

/** Messages that may have a text, by their conversations. */
export class Candidates {
  private readonly runs = new Map<number, { run: SegmentRun; ids: Int32Array; bitmap: Uint8Array }[]>();

  /** Call it for the newest segment first. */
  add(chats: Uint8Array, messages: Uint8Array, bitmap: Uint8Array): void {
    const ids = toNumbers(messages);
    for (const run of toRuns(chats)) {
      const candidate = { run, ids, bitmap };
      const others = this.runs.get(run.chatId);
      if (others === undefined) {
        this.runs.set(run.chatId, [candidate]);
      } else {
        others.push(candidate);
      }
    }
  }

  get chatIds(): number[] {
    return [...this.runs.keys()];
  }

  /** The candidates of a conversation, the newest first. */
  *of(chatId: number): Generator<number, void> {
    for (const { run, ids, bitmap } of this.runs.get(chatId) ?? []) {
      for (const ordinal of setBits(bitmap, run.start, run.end)) {
        yield ids[ordinal] ?? 0;
      }
    }
  }
}

/** Finds messages that may have a text. */
@Injectable()
export class SearchIndex {
  constructor(private readonly database: Database) {}

  /** Null when the index cannot serve: the text is too short, the user has few messages, or it is not filled yet. */
  async ask(userId: number, text: string): Promise<IndexAnswer | null> {
    const grams = gramsOf(text);
    if (grams.length === 0) {
      return null;
    }
    // Before the segments: what is put into one meanwhile is then read twice and not missed.
    const [progress = []] = await readRows(
      this.database,
      'SELECT (SELECT message_id FROM chat_search_progress), (SELECT MAX(id) FROM chat_messages)',
    );
    const [lastId = 0, newestId = 0] = progress.map(Number);
    if (newestId - lastId > MOST_LAG) {
      return null;
    }
    const bitmaps = await this.bitmaps(userId, grams);
    return bitmaps === null ? null : { lastId, newestId, candidates: await this.candidates(bitmaps) };
  }

  /**
   * Which messages of each segment have all the grams, and how long its list of messages was then. Null without a segment
   * that is built. It is one statement, so that no segment loses its grams between two.
   */
  private async bitmaps(
    userId: number,
    grams: number[],
  ): Promise<Map<number, { bitmap: Uint8Array; length: number }> | null> {
    const rows = await readRows(
      this.database,
      // Not `gram IN (…)`, for which MySQL would read all grams of each segment.
      `SELECT segment.id, segment.is_built, LENGTH(segment.messages), grams.postings
       FROM chat_search_segments segment
       CROSS JOIN (${grams.map((gram) => `SELECT ${Number(gram)} AS gram`).join(' UNION ALL ')}) AS needed
       LEFT JOIN chat_search_grams grams
         ON grams.segment_id = segment.id AND segment.is_built = 1 AND grams.gram = needed.gram
       WHERE segment.user_id = ?`,
      [userId],
    );
    const segments = new Map<number, { isBuilt: boolean; length: number; postings: Uint8Array[] }>();
    for (const [id, isBuilt, length, postings] of rows) {
      let segment = segments.get(Number(id));
      if (segment === undefined) {
        segment = { isBuilt: Number(isBuilt) === 1, length: Number(length), postings: [] };
        segments.set(Number(id), segment);
      }
      if (postings !== null) {
        segment.postings.push(toBytes(postings));
      }
    }
    if (![...segments.values()].some(({ isBuilt }) => isBuilt)) {
      return null;
    }
    const bitmaps = new Map<number, { bitmap: Uint8Array; length: number }>();
    for (const [id, { isBuilt, length, postings }] of segments) {
      if (!isBuilt || postings.length === grams.length) {
        bitmaps.set(id, { bitmap: isBuilt ? intersection(postings) : EVERY, length });
      }
    }
    return bitmaps;
  }

  private async candidates(bitmaps: Map<number, { bitmap: Uint8Array; length: number }>): Promise<Candidates> {
    const candidates = new Candidates();
    const ids = [...bitmaps].filter(([, { bitmap }]) => bitmap.some((byte) => byte !== 0)).map(([id]) => id);
    if (ids.length > 0) {
      const rows = await readRows(
        this.database,
        `SELECT id, chats, messages FROM chat_search_segments WHERE id IN ${idList(ids)} ORDER BY id DESC`,
      );
      for (const [id, chats, messages] of rows) {
        const { bitmap, length } = bitmaps.get(Number(id)) ?? { bitmap: EVERY, length: 0 };
        const list = toBytes(messages);
        // It lost or got messages meanwhile, so the ordinals are others.
        candidates.add(toBytes(chats), list, list.length === length ? bitmap : EVERY);
      }
    }
    return candidates;
  }
}

const EVERY = new Uint8Array(SEGMENT_MESSAGES / 8).fill(0xff);
