import type { ComponentChildren, JSX } from 'preact';
import { Link } from 'wouter-preact';
import { texts } from '../../app/i18n/languages';
import type { Agents } from './agents';

const t = texts('admin');

export function UserLink({ id, name }: { id: number; name?: string | null }): JSX.Element {
  return (
    <Link href={`/admin/users/${id}`}>
      <bdi>{name ?? `#${id}`}</bdi>
    </Link>
  );
}

export function AgentLink({ id, agents }: { id: number; agents: Agents }): JSX.Element {
  return (
    <Link href={`/admin/agents/${id}`}>
      <bdi>{agents.find((agent) => agent.id === id)?.name ?? `#${id}`}</bdi>
    </Link>
  );
}

/** A key has no page of its own: it leads to what it was used for. */
export function KeyLink({ id, children }: { id: number; children: ComponentChildren }): JSX.Element {
  return <Link href={`/admin/usage?api_key_id=${id}`}>{children}</Link>;
}

/** To all that a user or an agent used. */
export function UsageLink({ query }: { query: string }): JSX.Element {
  return (
    <Link href={`/admin/usage?${query}`} class="button">
      {t('page_usage')}
    </Link>
  );
}
