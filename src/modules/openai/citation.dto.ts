import { ApiProperty, OmitType } from '@nestjs/swagger';
import { CitationDto, toCitationDto } from '../chat/chat.api';
import type { Citation } from '../generation/generation.api';
import { toObjectId } from './object-ids';

/** A place in the text that uses a passage of a document, with the ids of this API. */
export class OpenAiCitationDto extends OmitType(CitationDto, ['file_id', 'store_id']) {
  /** The file; absent if the passage was removed. @example "file-7" */
  file_id?: string;

  /** The vector store of the file; null: a file of the conversation. @example "vs_3" */
  @ApiProperty({ type: String, nullable: true })
  store_id?: string | null;
}

export function toOpenAiCitation(citation: Citation): OpenAiCitationDto {
  const { file_id, store_id, ...shown } = toCitationDto(citation);
  return {
    ...shown,
    ...(file_id !== undefined && { file_id: toObjectId('file', file_id) }),
    ...(store_id !== undefined && { store_id: store_id === null ? null : toObjectId('store', store_id) }),
  };
}
