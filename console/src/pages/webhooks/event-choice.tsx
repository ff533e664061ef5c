import type { EventKindDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../app/i18n/languages';
import { CheckboxGroup } from '../../components/form/form';

const t = texts('webhooks');

interface EventChoiceProps {
  catalogue: EventKindDto[];
  /** As stored: types, groups such as `message.*`, or `*`. */
  chosen: string[];
}

/** Checkboxes for all events, for each group and for each event. A checked group includes its events. */
export function EventChoice({ catalogue, chosen }: EventChoiceProps): JSX.Element {
  const [ticked, setTicked] = useState(new Set(chosen));
  const tick = (event: string, isTicked: boolean): void => {
    const after = new Set(ticked);
    if (isTicked) after.add(event);
    else after.delete(event);
    setTicked(after);
  };
  const isAll = ticked.has('*');
  const groups = new Set(catalogue.map(({ type }) => groupOf(type)));
  return (
    <CheckboxGroup label={t('events')} name="events" hint={t('events_hint')}>
      <Box value="*" label={t('all_events')} ticked={ticked} onTick={tick} />
      <div class="event-groups" hidden={isAll}>
        {[...groups].map((group) => (
          <fieldset key={group} class="event-group">
            <legend class="visually-hidden">{group}</legend>
            <Box value={`${group}.*`} label={t('group_of_events', { group })} ticked={ticked} onTick={tick} />
            {!ticked.has(`${group}.*`) &&
              catalogue
                .filter(({ type }) => groupOf(type) === group)
                .map((kind) => <Kind key={kind.type} kind={kind} ticked={ticked} onTick={tick} />)}
          </fieldset>
        ))}
      </div>
    </CheckboxGroup>
  );
}

function groupOf(type: string): string {
  return type.split('.')[0] ?? type;
}

interface KindProps {
  kind: EventKindDto;
  ticked: Set<string>;
  onTick: (event: string, isTicked: boolean) => void;
}

function Kind({ kind, ticked, onTick }: KindProps): JSX.Element {
  return (
    <div class="event-kind">
      <Box value={kind.type} label={kind.type} ticked={ticked} onTick={onTick} />
      {/* Event descriptions come from the API and are in English only. */}
      <p class="hint" lang="en">
        {kind.description}
      </p>
      <details>
        <summary>{t('example')}</summary>
        <pre class="code" tabIndex={0} role="region" aria-label={t('example_of', { event: kind.type })}>
          {JSON.stringify(kind.example, null, 2)}
        </pre>
      </details>
    </div>
  );
}

interface BoxProps {
  value: string;
  label: string;
  ticked: Set<string>;
  onTick: (event: string, isTicked: boolean) => void;
}

function Box({ value, label, ticked, onTick }: BoxProps): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        name="events"
        value={value}
        checked={ticked.has(value)}
        onChange={(event) => onTick(value, event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** The shortest equivalent list of the checked events. */
export function eventsOf(entries: FormData): string[] {
  const events = entries.getAll('events').map(String);
  return events.includes('*') ? ['*'] : events;
}
