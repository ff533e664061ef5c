import '../../styles/parts/trace.css';
import type { AdminReplyTraceDto, ReplyTraceDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { formatDuration } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { formatExactMoney } from '../../app/i18n/money';
import { UserText } from '../user-text';
import { partsOf, timesOf, type TracePart } from './trace-parts';

const t = texts('replies');

/** The width of the bar in SVG units. A part is at least `LEAST` wide, so that it stays visible. */
const WIDTH = 1000;
const LEAST = 6;

type Trace = ReplyTraceDto | AdminReplyTraceDto;

/** The trace of a reply: a timeline, the model requests and the tool calls. */
export function TraceView({ trace }: { trace: Trace }): JSX.Element {
  const parts = partsOf(trace);
  const times = timesOf(parts);
  const url = 'trace_url' in trace ? trace.trace_url : null;
  return (
    <div class="trace stack tight">
      {parts.length > 0 && (
        <>
          <Bar
            parts={parts}
            label={times.map(([kind, time]) => `${t(`part_${kind}`)}: ${formatDuration(time)}`).join(', ')}
          />
          <ul class="trace-key" aria-hidden="true">
            {times.map(([kind, time]) => (
              <li key={kind} class={`trace-${kind}`}>
                {t(`part_${kind}`)} {formatDuration(time)}
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="soft">{summaryOf(trace)}</p>
      {typeof url === 'string' && (
        <p>
          <a href={url} target="_blank" rel="noreferrer">
            {t('open_trace')}
          </a>
        </p>
      )}
      {trace.attempts.length === 0 ? (
        <p class="soft">{t('nothing_kept')}</p>
      ) : (
        <ol class="trace-steps" aria-label={t('attempts')}>
          {trace.attempts.map((attempt) => (
            <Attempt key={attempt.started_at + attempt.duration_ms} attempt={attempt} />
          ))}
        </ol>
      )}
      {trace.tools.length > 0 && (
        <ul class="trace-steps" aria-label={t('part_tools')}>
          {trace.tools.map((tool, index) => (
            <li key={index}>
              <code>{tool.server ? `${tool.server} · ${tool.name}` : tool.name}</code>{' '}
              {t('tool_went', { state: tool.state, time: formatDuration(tool.duration_ms) })}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function summaryOf({ rounds, first_token_ms, duration_ms, token_usage: usage }: Trace): string {
  const { cost, currency } = usage ?? {};
  return [
    t('rounds', { count: rounds }),
    `${t('first_token')} ${formatDuration(first_token_ms)}`,
    `${t('in_all')} ${formatDuration(duration_ms)}`,
    ...(usage ? [t('tokens', { count: usage.total_tokens })] : []),
    ...(cost && currency ? [formatExactMoney(cost, currency)] : []),
  ].join(' · ');
}

/** A decorative image. The text next to it has the same information. */
function Bar({ parts, label }: { parts: TracePart[]; label: string }): JSX.Element {
  const total = parts.at(-1)?.to ?? 1;
  const widths = parts.map(({ from, to }) => Math.max(LEAST, ((to - from) / total) * WIDTH));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  let at = 0;
  return (
    <svg class="trace-bar" viewBox={`0 0 ${whole} 12`} preserveAspectRatio="none" role="img" aria-label={label}>
      {parts.map(({ kind, from }, index) => {
        const x = at;
        const width = widths[index] ?? 0;
        at += width;
        return <rect key={from} class={`trace-${kind}`} x={x} y={0} width={width} height={12} />;
      })}
    </svg>
  );
}

function Attempt({ attempt }: { attempt: Trace['attempts'][number] }): JSX.Element {
  const { kind, provider, model, outcome, code, learned, first_token_ms, duration_ms } = attempt;
  const said = 'provider_message' in attempt ? [attempt.provider_status, attempt.provider_message] : [];
  const times =
    first_token_ms === null
      ? formatDuration(duration_ms)
      : t('times', { all: formatDuration(duration_ms), first: formatDuration(first_token_ms) });
  return (
    <li>
      <bdi>
        {provider} · {model}
      </bdi>
      {kind === 'compaction' && ` (${t('compaction')})`}: {t(`outcome_${outcome}`)}
      {code && (
        <>
          {' '}
          <code>{code}</code>
        </>
      )}
      , {times}
      {learned && <> · {t('learned', { name: learned })}</>}
      {said.some((part) => part !== null) && (
        <p class="soft">
          <UserText>{said.filter((part) => part !== null).join(' · ')}</UserText>
        </p>
      )}
    </li>
  );
}
