import type { Citation } from '../../../generation/generation.api';
import { type CitationDto, toCitationDto } from '../../messages/citation.dto';

/** A passage as a source of the AI SDK. */
export interface UiSource {
  type: 'source-document';
  sourceId: string;
  mediaType: string;
  title: string;
  filename: string;
  providerMetadata: { knowledge: CitationDto };
}

/** The source of a citation; null: its passage was removed. */
export function toUiSource(citation: Citation): UiSource | null {
  const { passage, filename } = citation;
  if (passage === null) {
    return null;
  }
  const { file_id, start, end, media_type: mediaType, heading } = passage;
  return {
    type: 'source-document',
    sourceId: `file-${file_id}:${start}-${end}`,
    mediaType,
    title: heading ?? filename,
    filename,
    providerMetadata: { knowledge: toCitationDto(citation) },
  };
}
