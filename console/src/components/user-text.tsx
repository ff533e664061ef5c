import type { JSX } from 'preact';

/** Text from users, isolated so that its direction does not affect the text around it. */
export function UserText({ children }: { children: string | null | undefined }): JSX.Element {
  return <bdi>{children === '' ? '—' : (children ?? '—')}</bdi>;
}
