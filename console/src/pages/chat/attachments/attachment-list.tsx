import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatKilobytes } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { IconButton } from '../../../components/button';
import { Icon } from '../../../components/icon';
import { type Attachment, FILE_USES, type FileUse } from '../state/attachments/attachments';
import { useObjectUrl } from './use-object-url';

const t = texts('chat');

interface AttachmentListProps {
  files: readonly Attachment[];
  /** Whether the model does not support the file. */
  isRefused?: (attachment: Attachment) => boolean;
  onRemove?: (attachment: Attachment) => void;
}

/** Files of a message that is not stored yet. */
export function AttachmentList({ files, isRefused, onRemove }: AttachmentListProps): JSX.Element {
  return (
    <ul class="attachments" aria-label={t('attachments')}>
      {files.map((attachment) => (
        <li key={attachment} class={isRefused?.(attachment) ? 'attachment refused' : 'attachment'}>
          <Preview attachment={attachment} />
          <span class="attachment-text">
            <bdi title={attachment.file.name}>{attachment.file.name}</bdi>
            <Progress attachment={attachment} />
          </span>
          {onRemove && attachment.kind === 'file' && <UseChoice attachment={attachment} />}
          {onRemove && (
            <IconButton
              icon="close"
              label={t('remove_file', { name: attachment.file.name })}
              onClick={() => onRemove(attachment)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function UseChoice({ attachment: { file, use } }: { attachment: Attachment }): JSX.Element {
  return (
    <select
      class="file-use"
      aria-label={t('file_use', { name: file.name })}
      title={t('file_use_hint')}
      value={use.value}
      onChange={({ currentTarget }) => (use.value = currentTarget.value as FileUse)}
    >
      {FILE_USES.map((one) => (
        <option key={one} value={one}>
          {t(`file_use_${one}`)}
        </option>
      ))}
    </select>
  );
}

function Preview({ attachment: { kind, picture } }: { attachment: Attachment }): JSX.Element {
  const address = useObjectUrl(picture);
  // A file with an image type may not be an image.
  const [isBroken, setIsBroken] = useState(false);
  if (!address || isBroken) return <Icon name={kind} />;
  return <img src={address} alt="" onError={() => setIsBroken(true)} />;
}

function Progress({ attachment: { file, size, progress } }: { attachment: Attachment }): JSX.Element {
  if (progress.value < 1) return <progress value={progress.value} aria-label={file.name} />;
  return <span class="soft">{formatKilobytes(size)}</span>;
}
