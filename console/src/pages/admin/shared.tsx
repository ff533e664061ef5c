import type { AgentAdminDto } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { useReducer } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../../api';
import { formatTime } from '../../formats';
import { texts } from '../../languages';
import { useLoad } from '../../load';
import type { Choice } from '../../parts/form';
import { Icon, type IconName } from '../../parts/icon';
import { Plot } from '../../parts/plot';

const t = texts('admin');
const shell = texts('shell');

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

/** Text of people, which must not change the direction of what stands beside it. */
export function Words({ children }: { children: string | null | undefined }): JSX.Element {
  return <bdi>{children === '' ? '—' : (children ?? '—')}</bdi>;
}

export function Time({ at }: { at: string | null | undefined }): JSX.Element {
  return at ? <time dateTime={at}>{formatTime(at)}</time> : <>—</>;
}

/** What is known about something: names and values. */
export function Facts({ facts }: { facts: [string, ComponentChildren][] }): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}
    </dl>
  );
}

/** Numbers to look at, each with what it counts. */
export function Figures({ figures }: { figures: [string, string, ComponentChildren?][] }): JSX.Element {
  return (
    <dl class="cards figures">
      {figures.map(([label, value, beside]) => (
        <div key={label} class="card figure">
          <dt>{label}</dt>
          <dd>{value}</dd>
          {beside && <dd class="beside">{beside}</dd>}
        </div>
      ))}
    </dl>
  );
}

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

/** The course of what was used, day by day (`YYYY-MM-DD`). */
export function UsagePlots({ days }: { days: { date: string; messages: number; tokens: number }[] }): JSX.Element {
  return (
    <div class="plots">
      {(['messages', 'tokens'] as const).map((measure) => (
        <Plot
          key={measure}
          title={t(measure)}
          kind="days"
          keys={days.map(({ date }) => date)}
          series={[{ label: t(measure), values: days.map((day) => day[measure]) }]}
        />
      ))}
    </div>
  );
}

export type Agents = Pick<AgentAdminDto, 'id' | 'name'>[];

/** The first hundred agents, for names and choices; none until they are there. */
export function useAgents(): Agents {
  const { data } = useLoad(async () => (await api.agents.list({ query: { size: 100 } })).data.items, []);
  return data ?? [];
}

export function agentChoices(agents: Agents): Choice[] {
  return agents.map(({ id, name }) => ({ value: String(id), label: name }));
}

/** The names of choices in the language of the page. */
export function choicesOf<Value extends string>(values: readonly Value[], label: (value: Value) => string): Choice[] {
  return values.map((value) => ({ value, label: label(value) }));
}

/** The choices of a filter for a field that is true or false. */
export function yesOrNo(): Choice[] {
  return choicesOf(['true', 'false'], (value) => shell(value === 'true' ? 'yes' : 'no'));
}

/** A number that says when to load again, and how to raise it. */
export function useVersion(): [number, () => void] {
  const [version, raise] = useReducer((count: number, _nothing: void) => count + 1, 0);
  return [version, raise];
}

/** Filters for the days of a list. */
export const period = (): { name: string; label: string; kind: 'date' }[] => [
  { name: 'from', label: t('from'), kind: 'date' },
  { name: 'to', label: t('to'), kind: 'date' },
];
