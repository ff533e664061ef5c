import type { ComponentChildren, JSX } from 'preact';
import { useLoad } from '../../app/use-load';
import { Button } from '../button';
import { Dialog } from '../dialog';
import { Show } from '../states';

interface FindingsDialogProps<Found> {
  title: string;
  /** Label of the button that repeats the test. */
  again: string;
  find: () => Promise<Found>;
  onClose: () => void;
  children: (found: Found) => ComponentChildren;
}

/** Runs a test, shows the result, and can repeat it. */
export function FindingsDialog<Found>(props: FindingsDialogProps<Found>): JSX.Element {
  const { title, again, find, onClose, children } = props;
  const loaded = useLoad(find, []);
  return (
    <Dialog title={title} onClose={onClose}>
      <Show loaded={loaded}>{(found) => <div role="status">{children(found)}</div>}</Show>
      <div class="row">
        <Button icon="refresh" busy={loaded.isLoading} onClick={loaded.reload}>
          {again}
        </Button>
      </div>
    </Dialog>
  );
}
