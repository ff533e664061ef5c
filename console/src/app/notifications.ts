/** The choice belongs to this browser, as its permission does. */
const KEPT_AS = 'console-notifications';

export function canNotify(): boolean {
  return 'Notification' in window;
}

export function notifies(): boolean {
  return canNotify() && Notification.permission === 'granted' && localStorage.getItem(KEPT_AS) === 'yes';
}

/** Keeps the choice; the browser asks the person. Returns whether there will be notifications. */
export async function chooseNotifications(isWanted: boolean): Promise<boolean> {
  localStorage.setItem(KEPT_AS, isWanted ? 'yes' : 'no');
  if (isWanted && canNotify() && Notification.permission === 'default') await Notification.requestPermission();
  return notifies();
}

/** Tells of something while the page is out of view, if the person wanted that. A click brings the page back. */
export function notify(title: string, body: string): void {
  if (!document.hidden || !notifies()) return;
  try {
    const notification = new Notification(title, { body, icon: '/console/icon.svg', tag: 'reply' });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // Some phones have notifications of service workers alone.
  }
}
