import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { queryRows } from '../../../database/statements/query';
import { PIECE_LENGTH } from '../tables/knowledge-text.entity';

/** A part of a text, in UTF-16 units. */
export interface TextRange {
  textId: number;
  start: number;
  end: number;
}

interface Piece {
  textId: number;
  number: number;
  startOffset: number;
}

/** Reads the texts of passages from the pieces of the files' texts. */
@Injectable()
export class PassageTexts {
  constructor(private readonly database: Database) {}

  /** The texts of these ranges, in their order. Two statements for all, and each piece is read once. */
  async read(ranges: readonly TextRange[]): Promise<string[]> {
    if (ranges.length === 0) {
      return [];
    }
    const wanted = ranges.map(
      ({ textId, start, end }) =>
        `SELECT ${Number(textId)} AS text_id, ${Number(start)} AS start, ${Number(end)} AS finish`,
    );
    const pieces = await queryRows<Piece>(
      this.database.manager,
      `SELECT DISTINCT piece.text_id AS textId, piece.number AS number, piece.start_offset AS startOffset
       FROM (${wanted.join(' UNION ALL ')}) AS wanted JOIN knowledge_text_pieces piece ON piece.text_id = wanted.text_id
         AND piece.start_offset < wanted.finish AND piece.start_offset > wanted.start - ${PIECE_LENGTH}
       ORDER BY piece.text_id, piece.number`,
    );
    const texts = await this.texts(pieces);
    return ranges.map(({ textId, start, end }) => {
      const own = pieces.filter((piece) => piece.textId === textId && overlaps(piece, { start, end }));
      const from = start - (own[0]?.startOffset ?? 0);
      const text = own.map((piece) => texts.get(keyOf(piece)) ?? '').join('');
      return text.slice(from, from + end - start);
    });
  }

  private async texts(pieces: readonly Piece[]): Promise<Map<string, string>> {
    if (pieces.length === 0) {
      return new Map();
    }
    const keys = pieces.map(({ textId, number }) => `SELECT ${textId} AS text_id, ${number} AS number`);
    const rows = await queryRows<{ textId: number; number: number; text: string }>(
      this.database.manager,
      `SELECT piece.text_id AS textId, piece.number AS number, piece.text AS text
       FROM (${keys.join(' UNION ALL ')}) AS wanted
       JOIN knowledge_text_pieces piece ON piece.text_id = wanted.text_id AND piece.number = wanted.number`,
    );
    return new Map(rows.map((row) => [keyOf(row), row.text]));
  }
}

function overlaps({ startOffset }: Piece, { start, end }: { start: number; end: number }): boolean {
  return startOffset < end && startOffset > start - PIECE_LENGTH;
}

function keyOf({ textId, number }: { textId: number; number: number }): string {
  return `${textId}:${number}`;
}
