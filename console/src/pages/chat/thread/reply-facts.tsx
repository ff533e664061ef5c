import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatDuration, formatNumber, formatTime } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { formatExactMoney } from '../../../app/i18n/money';
import { IconButton } from '../../../components/button';
import { TraceOf } from '../../../components/trace/trace-of';
import type { Message } from '../state/types';

const t = texts('chat');
const shell = texts('shell');

/** Facts about a reply: tokens, duration, model. */
export function ReplyFacts({ message }: { message: Message }): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  return (
    <>
      <IconButton
        icon="info"
        label={t('details')}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      />
      {isOpen && (
        <div id={id} class="reply-facts stack">
          <dl class="facts">
            {facts(message).map(([name, value]) => (
              <>
                <dt>{name}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </>
            ))}
          </dl>
          <TraceOf
            id={message.id}
            load={() => api.chat.readTrace({ path: { chat_id: message.chat_id, message_id: message.id } })}
          />
        </div>
      )}
    </>
  );
}

function facts({ model, token_usage: usage, first_token_ms, duration_ms, created_at }: Message): [string, string][] {
  return [
    ...(model ? [[t('model'), model] as [string, string]] : []),
    ...(usage
      ? ([
          [t('tokens_read'), formatNumber(usage.prompt_tokens) + cached(usage.cached_tokens)],
          [
            t('tokens_written'),
            formatNumber(usage.completion_tokens) + (usage.is_estimated ? ` ${t('estimated')}` : ''),
          ],
        ] as [string, string][])
      : []),
    ...costOf(usage),
    [t('first_token'), formatDuration(first_token_ms)],
    [t('duration'), formatDuration(duration_ms)],
    [t('written_at'), formatTime(created_at)],
  ];
}

/** The exact cost, or that there is no price. Empty if the service hides costs from users. */
function costOf(usage: Message['token_usage']): [string, string][] {
  const { cost, currency } = usage ?? {};
  if (cost === undefined) return [];
  return [[t('cost'), cost === null || !currency ? shell('no_price') : formatExactMoney(cost, currency)]];
}

function cached(tokens: number): string {
  return tokens > 0 ? ` ${t('of_them_cached', { tokens })}` : '';
}
