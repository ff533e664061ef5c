/**
 * Lets the browser render and react during long work. It uses a message, because browsers throttle timers in hidden
 * tabs.
 */
export function yieldToBrowser(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
