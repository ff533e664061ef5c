import type { JSX } from 'preact';
import { formatKilobytes } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { visit } from '../../../app/visit';
import { Button, IconButton } from '../../../components/button';
import { UserText } from '../../../components/user-text';
import { type Upload, Uploads } from '../uploads';

const t = texts('knowledge');
const shell = texts('shell');

/** The files on their way to a collection, and those that did not arrive. */
export function UploadList({ storeId }: { storeId: number }): JSX.Element | null {
  const uploads = visit().part(Uploads);
  const shown = uploads.list.value.filter((upload) => upload.storeId === storeId);
  if (shown.length === 0) return null;
  return (
    <ul class="plain-list" aria-label={t('uploads')}>
      {shown.map((upload) => (
        <UploadRow key={upload} upload={upload} uploads={uploads} />
      ))}
    </ul>
  );
}

function UploadRow({ upload, uploads }: { upload: Upload; uploads: Uploads }): JSX.Element {
  const { file, part, failure } = upload;
  const { name } = file;
  const remove = (): void => uploads.remove(upload);
  return (
    <li class="upload">
      <span class="entry-text">
        <UserText>{name}</UserText> <span class="soft amount">{formatKilobytes(file.size)}</span>
      </span>
      {failure.value === null ? (
        <>
          {part.value === null ? (
            <span class="soft">{t('waiting')}</span>
          ) : (
            <progress value={part.value} aria-label={t('sending', { name })} />
          )}
          <IconButton icon="close" label={t('cancel_upload', { name })} onClick={remove} />
        </>
      ) : (
        <>
          <p class="reason" role="alert">
            {failure.value}
          </p>
          <Button aria-label={`${shell('try_again')}: ${name}`} onClick={() => uploads.retry(upload)}>
            {shell('try_again')}
          </Button>
          <IconButton icon="close" label={t('dismiss_upload', { name })} onClick={remove} />
        </>
      )}
    </li>
  );
}
