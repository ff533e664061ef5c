import { isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { api } from '../../app/api';
import { branding } from '../../app/branding';
import { texts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { user } from '../../app/visit';
import { Badge } from '../../components/badge';
import { useTitle } from '../../components/page/page';
import { Empty, Show } from '../../components/states';
import { AgentAvatar } from './agent-avatar';
import { Composer } from './composer/composer';
import type { NewMessage } from './state/open-chat/live-reply';
import type { Refusal } from './state/open-chat/refusal';
import type { Agent } from './state/types';
import { workspace } from './state/workspace';
import { RefusalNotice } from './thread/refusal-notice';
import { Suggestions } from './thread/suggestions';

const t = texts('chat');

const FEW_AGENTS = 6;

/** A new chat: the choice of an agent, and the first message. */
export function NewChat(): JSX.Element {
  const { agents } = workspace();
  const loaded = useLoad(() => agents.read(), []);
  const readAgain = (): void => void agents.read(true).then(loaded.reload, loaded.reload);
  useTitle(t('new_chat'));
  return <Show loaded={loaded}>{(found) => <Begin agents={found} onChanged={readAgain} />}</Show>;
}

function Begin({ agents, onChanged }: { agents: Agent[]; onChanged: () => void }): JSX.Element {
  const [, navigate] = useLocation();
  const wantedId = Number(new URLSearchParams(useSearch()).get('agent'));
  const [chosenId, choose] = useState<number>();
  const [knowledge, setKnowledge] = useState<number[]>([]);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const isBeginning = useRef(false);
  const byId = (wanted: number | undefined): Agent | undefined => agents.find(({ id }) => id === wanted);
  const agent = byId(chosenId) ?? byId(wantedId) ?? agents.find(({ is_default }) => is_default) ?? agents[0];
  if (!agent) return <Empty>{<p>{t('no_agents')}</p>}</Empty>;

  const begin = async (message: NewMessage, asked = agent): Promise<void> => {
    if (isBeginning.current) return;
    isBeginning.current = true;
    setRefusal(null);
    try {
      const body = { agent_id: asked.id, ...(knowledge.length > 0 && { knowledge }) };
      const chat = await api.chat.create({ body });
      const { openChats, events } = workspace();
      const openChat = openChats.open(chat.id);
      openChat.show(chat);
      events.publish({ kind: 'changed', chat });
      openChat.send(message);
      navigate(`/chat/${chat.id}`);
    } catch (error) {
      setRefusal({ error, message });
      // The refreshed list allows the user to choose another agent at once.
      if (isApiError(error, 'AGENT_INACTIVE', 'AGENT_NOT_FOUND')) onChanged();
    }
    isBeginning.current = false;
  };
  const ask = (asked: Agent, content: string): void => void begin({ content, files: [] }, asked);

  return (
    <div class="conversation">
      <div class="scroller">
        <div class="messages new-chat">
          <h1 tabIndex={-1}>{t('new_chat_title', { name: user.value?.username ?? '' })}</h1>
          {branding.value?.welcome && <p dir="auto">{branding.value.welcome}</p>}
          <div class="opening" aria-live="polite">
            {agent.opening_message && <p dir="auto">{agent.opening_message}</p>}
          </div>
          <AgentChoice agents={agents} chosen={agent} onChoose={choose} onAsk={ask} />
        </div>
      </div>
      <div class="below">
        {/* The cards of many agents would be uneven, and those below the chosen one would move. */}
        {!areFew(agents) && <Questions agent={agent} onAsk={ask} />}
        <Composer
          place="new"
          agent={agent}
          returned={refusal?.message}
          knowledge={knowledge}
          onKnowledge={(ids) => Promise.resolve(setKnowledge(ids))}
          onSend={(message) => void begin(message)}
        >
          {refusal && <RefusalNotice refusal={refusal} onClose={() => setRefusal(null)} />}
        </Composer>
      </div>
    </div>
  );
}

interface AgentChoiceProps {
  agents: Agent[];
  chosen: Agent;
  onChoose: (id: number) => void;
  /** Starts a chat with one of the agent's questions. */
  onAsk: (agent: Agent, question: string) => void;
}

/** A card for each agent. With few agents, each shows its questions. */
function AgentChoice({ agents, chosen, onChoose, onAsk }: AgentChoiceProps): JSX.Element {
  return (
    <fieldset class="agents">
      <legend class="visually-hidden">{t('choose_agent')}</legend>
      {agents.map((agent) => (
        <div key={agent.id} class="agent">
          <label>
            <input
              type="radio"
              name="agent"
              class="visually-hidden"
              checked={agent === chosen}
              onChange={() => onChoose(agent.id)}
            />
            <AgentAvatar agent={agent} />
            <span class="agent-text">
              <span class="agent-name">
                <bdi>{agent.name}</bdi>
                {agent.access_level === 'paid' && <Badge tone="accent">{t('for_members')}</Badge>}
              </span>
              <span class="soft" dir="auto">
                {agent.description}
              </span>
            </span>
          </label>
          {areFew(agents) && <Questions agent={agent} onAsk={onAsk} />}
        </div>
      ))}
    </fieldset>
  );
}

const areFew = (agents: Agent[]): boolean => agents.length <= FEW_AGENTS;

function Questions({ agent, onAsk }: { agent: Agent } & Pick<AgentChoiceProps, 'onAsk'>): JSX.Element {
  return (
    <Suggestions questions={agent.suggested_questions.slice(0, 2)} onChoose={(question) => onAsk(agent, question)} />
  );
}
