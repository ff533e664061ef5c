import { ApiProperty } from '@nestjs/swagger';
import type { EntryAttributes } from '../tables/knowledge-entry.entity';
import { SEARCH_MODES, type SearchMode, type SearchOutcome, type SearchResult } from './knowledge-search';

/** A passage that a search found. Offsets are UTF-16 units in the text of the file. */
export class KnowledgeResultDto {
  /** The collection. @example 3 */
  store_id: number;

  /** The file. @example 7 */
  file_id: number;

  /** Name of the file. @example "handbook.pdf" */
  filename: string;

  /** From 0 to 1, descending. @example 0.62 */
  @ApiProperty({ type: 'number', format: 'double', minimum: 0, maximum: 1 })
  score: number;

  /** Text of the passage. @example "To reset your password, open the settings …" */
  text: string;

  /** Attributes of the file in the collection. @example {"product": "console"} */
  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
  })
  attributes: EntryAttributes;

  /** Page, slide or sheet where the passage starts, from 1; null: the file has none. @example 12 */
  page: number | null;

  /** Headings above the passage; null: there are none. @example "Accounts › Passwords" */
  heading: string | null;

  /** Where the passage starts. @example 120 */
  start: number;

  /** Where it ends, exclusive. @example 560 */
  end: number;
}

/** The passages that a search found. */
export class KnowledgeResultsDto {
  /** The searched texts. @example ["How do I reset my password?"] */
  queries: string[];

  /** `words`: keyword search; `meaning`: semantic search; `hybrid`: both. @example "words" */
  @ApiProperty({ enum: SEARCH_MODES })
  mode: SearchMode;

  /** The best passages, best first; empty if none was found. */
  results: KnowledgeResultDto[];
}

export function toKnowledgeResultsDto(
  queries: readonly string[],
  { mode, results }: SearchOutcome,
): KnowledgeResultsDto {
  return { queries: [...queries], mode, results: results.map(toResultDto) };
}

function toResultDto(result: SearchResult): KnowledgeResultDto {
  const { storeId, fileId, filename, score, text, attributes, page, heading, start, end } = result;
  return {
    store_id: storeId,
    file_id: fileId,
    filename,
    score,
    text,
    attributes: JSON.parse(attributes) as EntryAttributes,
    page,
    heading,
    start,
    end,
  };
}
