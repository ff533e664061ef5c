import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon';

export type Tone = 'success' | 'warning' | 'danger' | 'accent' | '';

export function Badge({
  tone = '',
  icon,
  children,
}: {
  tone?: Tone;
  icon?: IconName;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <span class={`badge ${tone}`}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  );
}
