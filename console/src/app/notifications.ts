/** The choice is stored per browser, as is the browser's permission. */
const KEPT_AS = 'console-notifications';

export function canNotify(): boolean {
  return 'Notification' in window;
}

export function notifies(): boolean {
  return canNotify() && Notification.permission === 'granted' && localStorage.getItem(KEPT_AS) === 'yes';
}

/** Saves the choice and requests the browser's permission. Returns whether notifications will appear. */
export async function chooseNotifications(isWanted: boolean): Promise<boolean> {
  localStorage.setItem(KEPT_AS, isWanted ? 'yes' : 'no');
  if (isWanted && canNotify() && Notification.permission === 'default') await Notification.requestPermission();
  return notifies();
}

/** Shows a notification while the page is hidden, if the user enabled notifications. A click on it opens the page. */
export function notify(title: string, body: string): void {
  if (!document.hidden || !notifies()) return;
  try {
    const notification = new Notification(title, { body, icon: '/console/icon.svg', tag: 'reply' });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // Some mobile browsers allow notifications only from service workers.
  }
}
