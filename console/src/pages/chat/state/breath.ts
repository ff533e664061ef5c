/** So long may work go on before the browser draws and reacts again. */
const MOST_MILLISECONDS = 8;

/** Interrupts long work. Messages, because timers are slow in a tab that is not in view. */
export class Breath {
  private last = performance.now();
  private readonly channel = new MessageChannel();

  get isDue(): boolean {
    return performance.now() - this.last > MOST_MILLISECONDS;
  }

  async take(): Promise<void> {
    await new Promise((resolve) => {
      this.channel.port1.onmessage = resolve;
      this.channel.port2.postMessage(null);
    });
    this.last = performance.now();
  }
}
