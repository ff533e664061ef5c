import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon';

export interface MenuItem {
  label: string;
  icon?: IconName;
  isDangerous?: boolean;
  /** Set if the item is one of several choices. */
  isChosen?: boolean;
  onSelect: () => void;
}

interface MenuProps {
  label: string;
  icon?: IconName;
  /** Shows the label next to the icon. */
  showLabel?: boolean;
  items: MenuItem[];
}

/** A button that opens a menu. It is a native popover, so Escape or a click outside closes it. */
export function Menu({ label, icon = 'more', showLabel = false, items }: MenuProps): JSX.Element {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // Closed menus render no items, because a list of thousands has a menu in each row.
  const [isOpen, setIsOpen] = useState(false);

  const place = (): void => {
    if (!button.current || !list.current) return;
    const { bottom, top, right, left } = button.current.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = list.current;
    const isBelow = bottom + height < innerHeight || top < height;
    list.current.style.top = `${isBelow ? bottom : top - height - 8}px`;
    list.current.style.left = `${Math.max(8, Math.min(left + width < innerWidth - 8 ? left : right - width, innerWidth - width - 8))}px`;
  };

  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    if (step === undefined || buttons.length === 0) return;
    event.preventDefault();
    const at = buttons.findIndex((item) => item === document.activeElement);
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
  };

  return (
    <div class="menu">
      <button
        ref={button}
        type="button"
        class={`button quiet ${showLabel ? '' : 'only-icon'}`}
        popovertarget={id}
        aria-label={showLabel ? undefined : label}
        title={showLabel ? undefined : label}
      >
        <Icon name={icon} />
        {showLabel && <span>{label}</span>}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        class="menu-list"
        onKeyDown={move}
        onBeforeToggle={(event) => setIsOpen(event.newState === 'open')}
        onToggle={(event) => {
          if (event.newState !== 'open') return;
          place();
          list.current?.querySelector('button')?.focus();
        }}
      >
        {isOpen &&
          items.map((item) => (
            <button
              key={item.label}
              type="button"
              class={`button quiet ${item.isDangerous ? 'danger' : ''}`}
              aria-pressed={item.isChosen}
              onClick={() => {
                list.current?.hidePopover();
                item.onSelect();
              }}
            >
              {item.icon && <Icon name={item.icon} />}
              {item.label}
            </button>
          ))}
      </div>
    </div>
  );
}
