import { Feature } from '../../common/features/feature.decorator';
import { DocumentParser } from './document-parser';
import { DocumentParserConfig } from './document-parser.config';

/**
 * Reads documents into text and passages. Start with `DocumentParser`, which runs `parser-process.ts` for each file.
 *
 * - `reading/` has the formats, starting with `read-document.ts`; `cutting/` makes passages of a text.
 */
@Feature({
  configuration: [DocumentParserConfig],
  providers: [DocumentParser],
  exports: [DocumentParser],
})
export class DocumentParserModule {}
