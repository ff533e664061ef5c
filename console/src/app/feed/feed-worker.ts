import type { ToWorker } from './feed-messages';
import { SharedFeed } from './shared-feed';

/** The part of `SharedWorkerGlobalScope` in use. The DOM types do not include it. */
interface WorkerScope {
  onconnect: (event: MessageEvent) => void;
}

function start(scope: WorkerScope): void {
  const feed = new SharedFeed();
  scope.onconnect = ({ ports: [tab] }) => {
    if (tab) tab.onmessage = ({ data }: MessageEvent<ToWorker>) => feed.take(tab, data);
  };
}

void start(globalThis as unknown as WorkerScope);
