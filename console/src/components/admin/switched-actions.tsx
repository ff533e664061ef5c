import { isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { useLocation } from 'wouter-preact';
import { failureText } from '../../app/failure-text';
import { texts } from '../../app/i18n/languages';
import { attempt, toast } from '../../app/toasts';
import { confirm } from '../dialog';
import { Checkbox } from '../form/form';
import { Menu } from '../menu';

const admin = texts('admin');
const manage = texts('manage');

interface SwitchedActionsProps {
  isActive: boolean;
  /** @param isWithOption whether `switchOffOption` was chosen */
  onSwitch: (active: boolean, isWithOption: boolean) => Promise<unknown>;
  /** Deletes it. Without `force`, the service refuses if it is in use. */
  onDelete: (force: boolean) => Promise<unknown>;
  /** Error code when it is in use. */
  inUse: 'MCP_SERVER_IN_USE' | 'PROVIDER_IN_USE';
  /** The page to open after it was deleted. */
  place: string;
  onChange: () => void;
  words: {
    switchOn: string;
    switchOff: string;
    switchOffTitle: string;
    switchOffText: string;
    switchOffOption?: string;
    switchedOn: string;
    switchedOff: string;
    deleteTitle: string;
    deleteText: string;
    deleteUsedText: (count: number) => string;
    deleted: string;
  };
}

/** Buttons to disable, enable and delete something. If it is in use, deleting needs a second confirmation. */
export function SwitchedActions(props: SwitchedActionsProps): JSX.Element {
  const { isActive, onSwitch, onDelete, inUse, place, onChange, words } = props;
  const [, navigate] = useLocation();

  const switchTo = async (active: boolean, isWithOption = false): Promise<void> => {
    if (await attempt(() => onSwitch(active, isWithOption))) toast(active ? words.switchedOn : words.switchedOff);
    onChange();
  };
  const switchOff = async (): Promise<void> => {
    const { switchOffTitle: title, switchOffText: text, switchOffOption: label, switchOff: action } = words;
    let isWithOption = false;
    const children = label && (
      <Checkbox name="option" label={label} onChange={(isChosen) => (isWithOption = isChosen)} />
    );
    if (await confirm({ title, text, action, children, isDangerous: true })) await switchTo(false, isWithOption);
  };
  const remove = async (force: boolean, text: string): Promise<void> => {
    const question = { title: words.deleteTitle, text, action: manage('delete'), isDangerous: true };
    if (!(await confirm(question))) return;
    try {
      await onDelete(force);
      navigate(place);
      toast(words.deleted);
    } catch (error) {
      if (!force && isApiError(error, inUse)) await remove(true, words.deleteUsedText(Number(error.details['count'])));
      else toast(failureText(error), { isFailure: true });
    }
  };
  return (
    <Menu
      label={admin('actions')}
      items={[
        isActive
          ? { label: words.switchOff, icon: 'off', onSelect: () => void switchOff() }
          : { label: words.switchOn, icon: 'check', onSelect: () => void switchTo(true) },
        {
          label: manage('delete'),
          icon: 'trash',
          isDangerous: true,
          onSelect: () => void remove(false, words.deleteText),
        },
      ]}
    />
  );
}
