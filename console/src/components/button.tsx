import type { ButtonHTMLAttributes, ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon';

type Kind = 'plain' | 'primary' | 'danger' | 'quiet';

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'class' | 'icon'> {
  kind?: Kind;
  icon?: IconName;
  /** If true, the button shows a spinner and ignores clicks. Unlike a disabled button, it keeps the focus. */
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
  /** Name for the tooltip and for screen readers. */
  label: string;
}

/** A button with only an icon. */
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
