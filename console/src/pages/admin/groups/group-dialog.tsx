import type { GroupDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { Dialog } from '../../../components/dialog';
import { Form, TextArea, TextField, textOf } from '../../../components/form/form';

const admin = texts('admin');
const manage = texts('manage');

type Body = Pick<GroupDto, 'name' | 'description'>;

interface GroupDialogProps {
  title: string;
  /** Label of the button. */
  action: string;
  /** Absent for a new group. */
  group?: GroupDto;
  onSave: (body: Body) => Promise<void>;
  onClose: () => void;
}

/** A form for the name and description of a group. */
export function GroupDialog({ title, action, group, onSave, onClose }: GroupDialogProps): JSX.Element {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        action={action}
        onSubmit={(entries) => onSave({ name: textOf(entries, 'name'), description: textOf(entries, 'description') })}
      >
        <TextField
          name="name"
          label={admin('name')}
          defaultValue={group?.name}
          required
          readOnly={group !== undefined && group.managed_by !== 'admin'}
          maxLength={100}
          autoComplete="off"
        />
        <TextArea
          name="description"
          label={manage('description')}
          rows={2}
          maxLength={1_000}
          defaultValue={group?.description}
        />
      </Form>
    </Dialog>
  );
}
