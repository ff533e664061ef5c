import type { FileCountsDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { formatNumber } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { Badge } from '../badge';

const t = texts('knowledge');

/** The number of files of a collection, and how many of them are being read or have failed. */
export function FileCounts({ files }: { files: FileCountsDto }): JSX.Element {
  return (
    <span class="row tight">
      {formatNumber(files.total)}
      {files.in_progress > 0 && <Badge tone="accent">{t('files_in_progress', { count: files.in_progress })}</Badge>}
      {files.failed > 0 && <Badge tone="danger">{t('files_failed', { count: files.failed })}</Badge>}
    </span>
  );
}
