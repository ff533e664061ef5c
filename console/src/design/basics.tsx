import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { GROUP_ICONS } from '../components/admin/group-icons';
import { Badge, type Tone } from '../components/badge';
import { Button, IconButton } from '../components/button';
import { confirm, Dialog } from '../components/dialog';
import { Form, TextArea, TextField } from '../components/form/form';
import { Drawing, Icon, iconNames } from '../components/icon';
import { Menu } from '../components/menu';

/** A part of the page with its heading. */
export function Part({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="stack">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Text(): JSX.Element {
  return (
    <Part title="Text: three sizes, two weights">
      {['size-large', '', 'size-small'].map((size) => (
        <div key={size} class="row">
          <span class={size}>The quick brown fox 0123456789</span>
          <span class={`${size} weight-bold`}>The quick brown fox 0123456789</span>
          <span class={`${size} soft`}>The quick brown fox 0123456789</span>
        </div>
      ))}
      <p>
        A sentence with <a href="#top">a link</a>, <code>code</code>, and <kbd>⌘ K</kbd>.
      </p>
    </Part>
  );
}

const COLOURS = [
  'page',
  'surface',
  'raised',
  'line',
  'line-strong',
  'text',
  'text-soft',
  'accent',
  'accent-strong',
  'accent-soft',
  'danger',
  'danger-soft',
  'success',
  'success-soft',
  'warning',
  'warning-soft',
];

export function Colours(): JSX.Element {
  return (
    <Part title="Colours">
      <div class="swatches">
        {COLOURS.map((name) => (
          <div
            key={name}
            class="swatch"
            ref={(element) => void element?.style.setProperty('--swatch', `var(--${name})`)}
          >
            {name}
          </div>
        ))}
      </div>
    </Part>
  );
}

export function Icons(): JSX.Element {
  return (
    <Part title="Icons: one meaning each">
      <div class="swatches">
        {iconNames().map((name) => (
          <span key={name} class="row">
            <Icon name={name} />
            {name}
          </span>
        ))}
        {Object.entries(GROUP_ICONS).map(([name, path]) => (
          <span key={name} class="row">
            <Drawing path={path} />
            {name}
          </span>
        ))}
      </div>
    </Part>
  );
}

const KINDS = ['primary', 'plain', 'danger', 'quiet'] as const;
const TONES: Tone[] = ['', 'accent', 'success', 'warning', 'danger'];

export function Buttons(): JSX.Element {
  return (
    <Part title="Buttons, menus, badges and notices">
      {KINDS.map((kind) => (
        <div key={kind} class="row">
          <Button kind={kind}>Add provider</Button>
          <Button kind={kind} icon="plus">
            Add provider
          </Button>
          <Button kind={kind} busy>
            Busy
          </Button>
          <Button kind={kind} disabled>
            Disabled
          </Button>
          <IconButton kind={kind} icon="refresh" label={`Refresh, ${kind}`} />
        </div>
      ))}
      <div class="row">
        <Menu
          label="Actions"
          showLabel
          items={[
            { label: 'Edit', icon: 'edit', onSelect: () => undefined },
            { label: 'Delete', icon: 'trash', isDangerous: true, onSelect: () => undefined },
          ]}
        />
        {TONES.map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone === '' ? 'neutral' : tone}
          </Badge>
        ))}
        <Badge tone="danger" icon="warning">
          Last request failed
        </Badge>
      </div>
      {TONES.filter((tone) => tone !== 'accent').map((tone) => (
        <p key={tone} class={`notice ${tone}`}>
          This address is blocked. To allow internal hosts, add them in the settings.
        </p>
      ))}
    </Part>
  );
}

export function Dialogs(): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const question = { title: 'Delete the agent?', text: 'Users can no longer start conversations with it.' };
  return (
    <Part title="Dialogs: one size">
      <div class="row">
        <Button onClick={() => setIsOpen(true)}>Open a form</Button>
        <Button onClick={() => void confirm({ ...question, action: 'Delete', isDangerous: true })}>
          Open a question
        </Button>
      </div>
      {isOpen && (
        <Dialog title="Edit provider" onClose={() => setIsOpen(false)}>
          <Form action="Save" onSubmit={() => Promise.resolve(setIsOpen(false))}>
            <TextField name="name" label="Name" defaultValue="openai" />
            <TextArea name="text" label="A long text" rows={40} defaultValue="The footer stays in view." />
          </Form>
        </Dialog>
      )}
    </Part>
  );
}
