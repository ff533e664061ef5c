import type { JSX } from 'preact';
import { Dialog } from '../dialog';
import { type Passage, PassageView } from './passage-view';

/** A passage in a dialog. */
export function PassageDialog({ passage, onClose }: { passage: Passage; onClose: () => void }): JSX.Element {
  return (
    <Dialog title={passage.filename} onClose={onClose}>
      <PassageView passage={passage} />
    </Dialog>
  );
}
