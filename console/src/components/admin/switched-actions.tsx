import { isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { useLocation } from 'wouter-preact';
import { failureText } from '../../app/failure-text';
import { texts } from '../../app/i18n/languages';
import { attempt, toast } from '../../app/toasts';
import { confirm } from '../dialog';
import { Menu } from '../menu';

const admin = texts('admin');
const manage = texts('manage');

interface SwitchedActionsProps {
  isActive: boolean;
  onSwitch: (active: boolean) => Promise<unknown>;
  /** Deletes it; unless it is forced, not where it is in use. */
  onDelete: (force: boolean) => Promise<unknown>;
  /** The code of the refusal to delete what is in use. */
  inUse: 'MCP_SERVER_IN_USE' | 'PROVIDER_IN_USE';
  /** Where one goes when it is deleted. */
  place: string;
  onChange: () => void;
  words: {
    switchOn: string;
    switchOff: string;
    switchOffTitle: string;
    switchOffText: string;
    switchedOn: string;
    switchedOff: string;
    deleteTitle: string;
    deleteText: string;
    deleteUsedText: (count: number) => string;
    deleted: string;
  };
}

/** Switches something off and on, and deletes it: with a second question where it is in use. */
export function SwitchedActions(props: SwitchedActionsProps): JSX.Element {
  const { isActive, onSwitch, onDelete, inUse, place, onChange, words } = props;
  const [, navigate] = useLocation();

  const switchTo = async (active: boolean): Promise<void> => {
    if (await attempt(() => onSwitch(active))) toast(active ? words.switchedOn : words.switchedOff);
    onChange();
  };
  const switchOff = async (): Promise<void> => {
    const question = { title: words.switchOffTitle, text: words.switchOffText, action: words.switchOff };
    if (await confirm({ ...question, isDangerous: true })) await switchTo(false);
  };
  const remove = async (force: boolean, text: string): Promise<void> => {
    const question = { title: words.deleteTitle, text, action: manage('delete'), isDangerous: true };
    if (!(await confirm(question))) return;
    try {
      await onDelete(force);
      toast(words.deleted);
      navigate(place);
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
          ? { label: words.switchOff, icon: 'stop', onSelect: () => void switchOff() }
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
