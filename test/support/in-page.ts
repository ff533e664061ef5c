/**
 * Code that waits inside a console page: each step from outside costs the browser more than the wait itself. It defines
 * `task()` and `frames(count)`, which let the page work for that long, `until(isSo)`, which checks again whenever an
 * element changes, and `stands()`: the page has a heading and loads nothing.
 */
export const inPage = (code: string): string => `(async () => {
  const { port1, port2 } = new MessageChannel();
  const task = () => new Promise((resolve) => {
    port2.onmessage = resolve;
    port1.postMessage(0);
  });
  const frames = async (count) => {
    for (let frame = 0; frame < count; frame++) await new Promise(requestAnimationFrame);
  };
  const until = (isSo) => new Promise((resolve, reject) => {
    const look = () => {
      if (!isSo()) return;
      observer.disconnect();
      clearTimeout(timer);
      resolve();
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { attributes: true, childList: true, subtree: true });
    const timer = setTimeout(() => reject(new Error('It never was so: ' + isSo)), 20_000);
    look();
  });
  const stands = () => until(() => document.querySelector('h1') && !document.querySelector('.skeleton'));
  ${code}
})()`;

/** Navigates like a link in the page. */
export const goTo = (place: string): string =>
  `history.pushState(null, '', '/console/${place}'); dispatchEvent(new PopStateEvent('popstate')); await task();`;

/** Closes open dialogs, and navigates through an address at which the page keeps no state. */
export const openAnew = (place: string): string => `
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.dispatchEvent(new Event('cancel', { cancelable: true }));
  for (const toast of document.querySelectorAll('.toast')) toast.lastElementChild.click();
  ${goTo('nowhere')}
  ${goTo(place)}`;
