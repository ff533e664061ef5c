import { ApiProperty } from '@nestjs/swagger';
import type { SearchResult } from '../../knowledge/knowledge.api';
import { toObjectId } from '../object-ids';
import { VectorStoreTextDto } from './entry.dto';

/** A passage that a search found. Offsets are UTF-16 units in the text of the file. */
export class VectorStoreSearchResultDto {
  /** Id of the file. @example "file-7" */
  file_id: string;

  /** Name of the file. @example "handbook.pdf" */
  filename: string;

  /** From 0 to 1, descending. @example 0.62 */
  @ApiProperty({ type: 'number', format: 'double', minimum: 0, maximum: 1 })
  score: number;

  /** Attributes of the file in the vector store. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    example: { product: 'console' },
  })
  attributes: Record<string, string | number | boolean>;

  /** The text of the passage, in one piece. */
  content: VectorStoreTextDto[];

  /** Page, slide or sheet where the passage starts, from 1; null: the file has none. @example 12 */
  @ApiProperty({ type: 'integer', nullable: true })
  page: number | null;

  /** Headings above the passage; null: there are none. @example "Accounts › Passwords" */
  @ApiProperty({ type: String, nullable: true })
  heading: string | null;

  /** Where the passage starts. @example 120 */
  @ApiProperty({ type: 'integer' })
  start: number;

  /** Where it ends, exclusive. @example 560 */
  @ApiProperty({ type: 'integer' })
  end: number;
}

/** The passages that a search found. */
export class VectorStoreSearchResultsDto {
  /** Always `vector_store.search_results.page`. @example "vector_store.search_results.page" */
  object: 'vector_store.search_results.page';

  /** The searched texts. @example ["How do I reset my password?"] */
  search_query: string[];

  /** The best passages, best first; empty if none was found. */
  data: VectorStoreSearchResultDto[];

  /** Always false. @example false */
  has_more: false;

  /** Always null. */
  @ApiProperty({ type: String, nullable: true, example: null })
  next_page: null;
}

export function toSearchResultsDto(
  queries: readonly string[],
  results: readonly SearchResult[],
): VectorStoreSearchResultsDto {
  return {
    object: 'vector_store.search_results.page',
    search_query: [...queries],
    data: results.map(({ fileId, filename, score, attributes, text, page, heading, start, end }) => ({
      file_id: toObjectId('file', fileId),
      filename,
      score,
      attributes: JSON.parse(attributes) as VectorStoreSearchResultDto['attributes'],
      content: [{ type: 'text', text }],
      page,
      heading,
      start,
      end,
    })),
    has_more: false,
    next_page: null,
  };
}
