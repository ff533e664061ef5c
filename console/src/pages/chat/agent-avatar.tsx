import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Agent } from './state/types';

/** The agent's picture, or its first letter if it has none. */
export function AgentAvatar({ agent }: { agent: Pick<Agent, 'name' | 'avatar'> | null }): JSX.Element {
  const [isMissing, setIsMissing] = useState(false);
  if (!agent?.avatar || isMissing) {
    return (
      <span class="avatar" aria-hidden="true">
        {[...(agent?.name ?? '·')][0]}
      </span>
    );
  }
  return <img class="avatar" src={agent.avatar} alt="" onError={() => setIsMissing(true)} />;
}
