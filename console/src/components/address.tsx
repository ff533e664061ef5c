import type { JSX } from 'preact';
import { CopyButton } from './copy-button';

interface AddressProps {
  text: string;
  /** Label of the copy button. */
  label: string;
}

/** An address that must be registered in another system. */
export function Address({ text, label }: AddressProps): JSX.Element {
  return (
    <span class="row">
      <code class="address">{text}</code>
      <CopyButton label={label} text={() => text} />
    </span>
  );
}
