import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { canNotify, chooseNotifications, notifies } from '../../../app/notifications';
import { Button } from '../../../components/button';

const t = texts('account');

/**
 * The setting for notifications about finished replies in hidden pages. The browser asks for permission only when the
 * user enables it.
 */
export function NotificationChoice(): JSX.Element | null {
  const [isOn, setIsOn] = useState(notifies());
  const [isRefused, setIsRefused] = useState(false);
  if (!canNotify()) return null;
  const change = async (): Promise<void> => {
    const isNow = await chooseNotifications(!isOn);
    setIsRefused(!isOn && !isNow);
    setIsOn(isNow);
  };
  return (
    <section class="card account-form stack" aria-labelledby="notifications">
      <h2 id="notifications">{t('notifications')}</h2>
      <p class="soft">{t('notifications_hint')}</p>
      <div>
        <Button aria-pressed={isOn} onClick={() => void change()}>
          {t(isOn ? 'notifications_stop' : 'notifications_begin')}
        </Button>
      </div>
      <p role="status">{isRefused && t('notifications_refused')}</p>
    </section>
  );
}
