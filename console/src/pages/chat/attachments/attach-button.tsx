import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { IconButton } from '../../../components/button';

const t = texts('chat');

/** What a chooser offers first: with pictures, phones offer the camera, and make JPEG of their own kinds. */
const OFFERED = 'image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,.md,.json,.yaml,.yml,.log,.sql';

/** Opens the chooser for files. */
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
        accept={OFFERED}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}

/** The files of a paste; none where there is text too, which is what people mean who copy from a table. */
export function pastedFiles({ clipboardData }: ClipboardEvent): File[] {
  if (!clipboardData || clipboardData.types.includes('text/plain')) return [];
  return [...clipboardData.files];
}

/**
 * Takes files that are dropped anywhere: beside the entry the browser would leave the page for them.
 *
 * @returns whether some hang over the page
 */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    const hang = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent): void => {
      setIsOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      take.current(files);
    };
    addEventListener('dragover', hang);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', hang);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}
