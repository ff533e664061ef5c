import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { KnowledgeFileNotReadyError } from '../knowledge.errors';
import type { KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgePassageEntity } from '../tables/knowledge-passage.entity';
import {
  KnowledgeTextEntity,
  KnowledgeTextPieceEntity,
  PIECE_LENGTH,
  type TextPage,
} from '../tables/knowledge-text.entity';
import { EntriesService } from './entries.service';
import { ReadableStores } from './readable-stores';

/** Most UTF-16 units of one response. */
const MOST_UNITS = 20_000;

/** A part of an entry's text. Offsets are UTF-16 units. */
export interface TextPart {
  text: string;
  start: number;
  end: number;
  /** Of the whole text. */
  length: number;
  /** The pages of this part: the first one may start before it. */
  pages: TextPage[];
}

/** What reading a text needs of its row. */
type ReadText = Pick<KnowledgeTextEntity, 'id' | 'length' | 'pages'>;

/** The parsed texts of entries, for those who may read the collection. */
@Injectable()
export class EntryTexts {
  constructor(
    private readonly database: Database,
    private readonly readable: ReadableStores,
    private readonly entries: EntriesService,
  ) {}

  /**
   * A part of the text that searches find, at most 20,000 UTF-16 units.
   *
   * @throws KnowledgeNotFoundError, UploadedFileNotFoundError, KnowledgeFileNotReadyError
   */
  async part(principal: Principal, storeId: number, fileId: number, from = 0, to?: number): Promise<TextPart> {
    const text = await this.find(principal, storeId, fileId);
    return this.cut(text, from, to);
  }

  /** Like `part`, for an entry that was found. @throws KnowledgeFileNotReadyError */
  async partOf(entry: KnowledgeEntryEntity, from = 0, to?: number): Promise<TextPart> {
    return this.cut(await this.textOf(entry), from, to);
  }

  /** The whole text in pieces, in order. @throws the errors of `part`, before the first piece */
  async pieces(principal: Principal, storeId: number, fileId: number): Promise<AsyncGenerator<string>> {
    const { id } = await this.find(principal, storeId, fileId);
    return this.read(id);
  }

  private async *read(textId: number): AsyncGenerator<string> {
    for (let number = 0; ; number++) {
      const piece = await findRow(this.database.manager, KnowledgeTextPieceEntity, { textId, number });
      if (piece === null) {
        return;
      }
      yield piece.text;
    }
  }

  private async find(principal: Principal, storeId: number, fileId: number): Promise<ReadText> {
    await this.readable.requireText(principal, storeId);
    const { entry } = await this.entries.get(principal, storeId, fileId);
    return this.textOf(entry);
  }

  private async textOf({ ingestionId, status }: KnowledgeEntryEntity): Promise<ReadText> {
    const { manager } = this.database;
    const passage =
      status === 'completed' && ingestionId !== null
        ? await findRow(manager, KnowledgePassageEntity, { ingestionId }, { members: ['textId'] })
        : null;
    const members = ['id', 'length', 'pages'] as const;
    const text = passage && (await findRow(manager, KnowledgeTextEntity, { id: passage.textId }, { members }));
    if (!text) {
      throw new KnowledgeFileNotReadyError();
    }
    return text;
  }

  private async cut({ id, length, pages }: ReadText, from: number, to = length): Promise<TextPart> {
    const start = Math.min(from, length);
    const end = Math.max(start, Math.min(to, start + MOST_UNITS, length));
    const touched = {
      condition: 'text_id = ? AND start_offset < ? AND start_offset > ?',
      parameters: [id, end, start - PIECE_LENGTH],
    };
    const pieces = await findRows(this.database.manager, KnowledgeTextPieceEntity, touched, {
      order: { number: 'ASC' },
    });
    const first = pieces[0]?.startOffset ?? start;
    const text = pieces
      .map((piece) => piece.text)
      .join('')
      .slice(start - first, end - first);
    const shown = pages.filter((page, index) => page.start < end && (pages[index + 1]?.start ?? length) > start);
    return { text, start, end: start + text.length, length, pages: shown };
  }
}
