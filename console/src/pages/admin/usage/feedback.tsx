import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { agentChoices, useAgents } from '../../../components/admin/agents';
import { AgentLink, UserLink } from '../../../components/admin/links';
import { Badge } from '../../../components/badge';
import { choicesOf } from '../../../components/form/choices';
import { Page } from '../../../components/page/page';
import { listOf } from '../../../components/table/list-of';
import { period } from '../../../components/table/period';
import { DataTable } from '../../../components/table/table';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';

const t = texts('admin');

const feedback = listOf('feedback', api.admin.feedback, 'list');

/** The users' ratings of replies. */
export function Feedback(): JSX.Element {
  const agents = useAgents();
  return (
    <Page title={t('page_feedback')}>
      <DataTable
        {...feedback}
        label={t('page_feedback')}
        filters={[
          { name: 'rating', label: t('rating'), choices: choicesOf(['like', 'dislike'], (name) => t(name)) },
          { name: 'agent_id', label: t('agent'), choices: agentChoices(agents) },
          ...period(),
        ]}
        columns={[
          {
            name: 'rating',
            label: t('rating'),
            cell: ({ rating }) =>
              rating === 'like' ? (
                <Badge tone="success" icon="thumbUp">
                  {t('like')}
                </Badge>
              ) : (
                <Badge tone="danger" icon="thumbDown">
                  {t('dislike')}
                </Badge>
              ),
          },
          { name: 'comment', label: t('comment'), cell: ({ comment }) => <UserText>{comment}</UserText> },
          {
            name: 'user',
            label: t('user'),
            cell: ({ user_id, username }) => <UserLink id={user_id} name={username} />,
          },
          { name: 'agent', label: t('agent'), cell: ({ agent_id }) => <AgentLink id={agent_id} agents={agents} /> },
          { name: 'model', label: t('model'), cell: ({ model }) => <UserText>{model}</UserText> },
          {
            name: 'chat',
            label: t('chat'),
            cell: ({ chat_id }) => <Link href={`/admin/chats/${chat_id}`}>#{chat_id}</Link>,
          },
          { name: 'rated_at', label: t('rated_at'), isSortable: true, cell: ({ rated_at }) => <Time at={rated_at} /> },
        ]}
        rowKey={({ message_id }) => message_id}
        empty={<p>{t('no_feedback')}</p>}
      />
    </Page>
  );
}
