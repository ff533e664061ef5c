import { ApiPropertyOptional } from '@nestjs/swagger';
import type { Citation } from '../../generation/generation.api';

/**
 * A place in a reply that uses a passage of a document. If the passage was deleted, or you may no longer read it, only
 * `number`, `index` and `filename` are known.
 */
export class CitationDto {
  /** The number of the passage within the reply; the same passage has the same number. @example 1 */
  number: number;

  /** The offset in `content`, in UTF-16 code units, after what the passage supports. @example 42 */
  index: number;

  /** The name of the file. @example "handbook.pdf" */
  filename: string;

  /** The file. @example 7 */
  file_id?: number;

  /** The collection of the file; null: a file of this conversation. @example 3 */
  store_id?: number | null;

  /** The page on which the passage begins; null: the file has no pages. @example 12 */
  page?: number | null;

  /** Where the passage begins in the text of the file, for GET /knowledge/{id}/files/{file_id}/text. @example 120 */
  start?: number;

  /** Where the passage ends. @example 560 */
  end?: number;

  /** The first 300 characters of the passage. @example "To reset your password, open the settings." */
  quote?: string;

  /** The score of the passage in the search, from 0 to 1. @example 0.61 */
  @ApiPropertyOptional({ type: 'number', format: 'double', minimum: 0, maximum: 1 })
  score?: number;
}

export function toCitationDto({ number, index, filename, passage }: Citation): CitationDto {
  if (passage === null) {
    return { number, index, filename };
  }
  const { file_id, store_id, page, start, end, quote, score } = passage;
  return { number, index, file_id, store_id, filename, page, start, end, quote, score };
}
