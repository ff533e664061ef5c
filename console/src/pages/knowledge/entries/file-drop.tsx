import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { visit } from '../../../app/visit';
import { Button } from '../../../components/button';
import { useFileDrop } from '../../../components/file-drop';
import { Uploads } from '../uploads';

const t = texts('knowledge');

/** Accepts files that are dropped anywhere on the page, or chosen in the file dialog. */
export function FileDrop({ storeId }: { storeId: number }): JSX.Element {
  const chooser = useRef<HTMLInputElement>(null);
  const uploads = visit().part(Uploads);
  const add = (files: readonly File[]): void => uploads.add(storeId, files);
  const isOver = useFileDrop(add);
  return (
    <div class={isOver ? 'file-drop over' : 'file-drop'}>
      <Button icon="upload" kind="primary" onClick={() => chooser.current?.click()}>
        {t('add_files')}
      </Button>
      <p class="soft">{t(isOver ? 'drop_now' : 'drop_hint')}</p>
      <input
        ref={chooser}
        type="file"
        class="visually-hidden"
        tabIndex={-1}
        aria-hidden="true"
        multiple
        onChange={({ currentTarget }) => {
          add([...(currentTarget.files ?? [])]);
          // Allows the user to choose the same file again.
          currentTarget.value = '';
        }}
      />
    </div>
  );
}
