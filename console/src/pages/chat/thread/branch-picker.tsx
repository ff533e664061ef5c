import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { IconButton } from '../../../components/button';
import type { Message } from '../state/types';

const t = texts('chat');

export interface BranchPickerProps {
  versions: Message[];
  /** The branch cannot change while a reply is being written. */
  isBusy: boolean;
  onVersion: (message: Message) => Promise<void>;
}

/** ‹ 2/3 ›: shows the version of a message and switches between versions. */
export function BranchPicker({
  message,
  versions,
  isBusy,
  onVersion,
}: BranchPickerProps & { message: Message }): JSX.Element | null {
  if (versions.length < 2) return null;
  const at = versions.findIndex(({ id }) => id === message.id);
  const [before, after] = [versions[at - 1], versions[at + 1]];
  return (
    <span class="versions" id={`versions-${message.id}`} role="group" aria-label={t('versions')}>
      <IconButton
        icon="back"
        label={t('earlier_version')}
        disabled={!before || isBusy}
        onClick={() => before && void onVersion(before)}
      />
      <span aria-label={t('version_of', { at: at + 1, all: versions.length })} role="img">
        {at + 1}/{versions.length}
      </span>
      <IconButton
        icon="forward"
        label={t('later_version')}
        disabled={!after || isBusy}
        onClick={() => after && void onVersion(after)}
      />
    </span>
  );
}
