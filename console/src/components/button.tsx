import type { ButtonHTMLAttributes, ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon';

type Kind = 'plain' | 'primary' | 'danger' | 'quiet';

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'class' | 'icon'> {
  kind?: Kind;
  icon?: IconName;
  /** While true it shows that it works, and does nothing. It keeps the focus, unlike a disabled button. */
  busy?: boolean;
  children: ComponentChildren;
}

export function Button({ kind = 'plain', icon, busy = false, children, onClick, ...rest }: ButtonProps): JSX.Element {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${kind}`}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy ? <span class="spinner" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  icon: IconName;
  /** What it does, for the tooltip and for who does not see the icon. */
  label: string;
}

/** A button of an icon alone. */
export function IconButton({ kind = 'quiet', icon, label, busy = false, ...rest }: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      {...rest}
      class={`button only-icon ${kind}`}
      title={label}
      aria-label={label}
      disabled={busy || rest.disabled}
    >
      {busy ? <span class="spinner" /> : <Icon name={icon} />}
    </button>
  );
}
