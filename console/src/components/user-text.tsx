import type { JSX } from 'preact';

/** Text of people, which must not change the direction of what stands beside it. */
export function UserText({ children }: { children: string | null | undefined }): JSX.Element {
  return <bdi>{children === '' ? '—' : (children ?? '—')}</bdi>;
}
