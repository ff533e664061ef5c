import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { IconButton } from '../../../components/button';
import { OFFICE_ENDINGS } from '../state/attachments/attachments';

const t = texts('chat');

/**
 * Types for the file dialog. Because of the image types, phones offer the camera and convert their own formats to JPEG.
 */
const OFFERED = 'image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,.md,.json,.yaml,.yml,.log,.sql';

/** Opens the file dialog. */
export function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }): JSX.Element {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="clip" label={t('attach')} onClick={() => chooser.current?.click()} />
      <input
        ref={chooser}
        type="file"
        class="visually-hidden"
        tabIndex={-1}
        aria-hidden="true"
        multiple
        accept={`${OFFERED},${OFFICE_ENDINGS.join()}`}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // Allows the user to choose the same file again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}

/**
 * The files in a paste. If the clipboard also contains text, as it does after a copy from a spreadsheet, the text is
 * pasted instead.
 */
export function pastedFiles({ clipboardData }: ClipboardEvent): File[] {
  if (!clipboardData || clipboardData.types.includes('text/plain')) return [];
  return [...clipboardData.files];
}
