import '../styles/parts/badge.css';
import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon';

export type Tone = 'success' | 'warning' | 'danger' | 'accent' | '';

interface BadgeProps {
  tone?: Tone;
  icon?: IconName;
  /** Shows a machine-readable name in code font. */
  isCode?: boolean;
  children: ComponentChildren;
}

export function Badge({ tone = '', icon, isCode = false, children }: BadgeProps): JSX.Element {
  return (
    <span class={`badge ${tone} ${isCode ? 'mono' : ''}`}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  );
}
