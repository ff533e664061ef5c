/**
 * Code for a page of the console, in which it can wait: each step from outside costs the browser more than what is waited
 * for. It knows `task()` and `frames(count)`, which let the page work for so long, `until(isSo)`, which asks again whenever
 * an element changes, and `stands()`: the page has a heading and loads nothing.
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
  const stands = () => until(() => document.querySelector('h1') && !document.querySelector('.state .spinner'));
  ${code}
})()`;

/** Goes there as a link of the page would. */
export const goTo = (place: string): string =>
  `history.pushState(null, '', '/console/${place}'); dispatchEvent(new PopStateEvent('popstate')); await task();`;

/** Closes what is open, and goes there by way of a place at which nothing of the page is kept. */
export const openAnew = (place: string): string => `
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.dispatchEvent(new Event('cancel', { cancelable: true }));
  for (const toast of document.querySelectorAll('.toast')) toast.lastElementChild.click();
  ${goTo('nowhere')}
  ${goTo(place)}`;
