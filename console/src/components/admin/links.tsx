import type { ComponentChildren, JSX } from 'preact';
import { Link } from 'wouter-preact';
import { texts } from '../../app/i18n/languages';
import { Money, type MoneyProps } from '../money/money';
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

/** A key has no page of its own, so the link leads to its usage. */
export function KeyLink({ id, children }: { id: number; children: ComponentChildren }): JSX.Element {
  return <Link href={`/admin/usage?api_key_id=${id}`}>{children}</Link>;
}

/** An amount that links to the requests it adds up. */
export function CostLink({ query, ...money }: MoneyProps & { query: Record<string, string> }): JSX.Element {
  return (
    <Link href={`/admin/costs?${new URLSearchParams(query)}`}>
      <Money {...money} />
    </Link>
  );
}

/** Links to the usage of a user or an agent. */
export function UsageLink({ query }: { query: string }): JSX.Element {
  return (
    <Link href={`/admin/usage?${query}`} class="button">
      {t('page_usage')}
    </Link>
  );
}
