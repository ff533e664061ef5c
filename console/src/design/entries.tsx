import type { JSX } from 'preact';
import { EntryError } from '../components/form/faults';
import { Checkbox, CheckboxGroup, Form, Select, TextArea, TextField } from '../components/form/form';
import { PasswordField } from '../components/form/password-field';
import { Part } from './basics';

/** Fields in every state. Saving shows the error of a field. */
export function Entries(): JSX.Element {
  return (
    <Part title="Fields: one height">
      <Form
        action="Save"
        onSubmit={() => Promise.reject(new EntryError('amount', 'Use digits and a decimal point, e.g. 12.50.'))}
      >
        <div class="fields">
          <TextField name="text" label="Text" hint="2–32 characters" placeholder="Placeholder" />
          <TextField name="number" type="number" label="Number" defaultValue="12" />
          <TextField name="amount" label="Amount" defaultValue="twelve" />
          <TextField name="day" type="date" label="Date" defaultValue="2026-07-31" />
          <TextField name="time" type="datetime-local" label="Date and time" defaultValue="2026-07-31T12:30" />
          <TextField name="off" label="Disabled" defaultValue="Cannot be changed" disabled />
          <Select name="choice" label="Choice" choices={[{ value: 'a', label: 'First' }]} />
          <PasswordField name="password" label="Password" />
        </div>
        <TextArea name="lines" label="Long text" rows={3} defaultValue={'First line\nSecond line'} />
        <Checkbox name="one" label="A checkbox is on the first line of its label" checked />
        <CheckboxGroup name="many" label="A group of checkboxes" hint="Choose any number.">
          <Checkbox name="many" value="a" label="First" checked />
          <Checkbox name="many" value="b" label="Second" />
        </CheckboxGroup>
      </Form>
    </Part>
  );
}
