/** Questions in the words of users and operators, and the documents that answer them. */
const OWN_WORDS = [
  {
    query: 'How do I stop one department from spending more than 200 euros a month?',
    documents: ['money.md', 'costs.md'],
  },
  { query: 'Somebody lost their phone and cannot get into their account any more', documents: ['sign-in.md'] },
  { query: 'Can our staff log in with their Google or Microsoft accounts?', documents: ['sign-in.md'] },
  { query: 'The disk of the server died, how do I get everything back?', documents: ['operations-recovery.md'] },
  { query: 'How do I notice that the AI provider is broken?', documents: ['operations-measurements.md'] },
  { query: 'My script should talk to the bot without a password', documents: ['api-keys.md', 'programs.md'] },
  { query: 'Tell our own system each time somebody writes a message', documents: ['webhooks.md', 'events.md'] },
  { query: 'Let others look at one of my chats by a link', documents: ['sharing.md'] },
  { query: 'Ask a person before the assistant deletes or sends something', documents: ['agents-that-act.md'] },
  { query: 'Connect the assistant to our ticket system', documents: ['mcp.md', 'mcp-connections.md', 'tools.md'] },
  { query: 'Use the assistant in my code editor with our own server', documents: ['coding-agents.md'] },
  { query: 'Which database should I take if many people use it at once?', documents: ['operations-engines.md'] },
  { query: 'People who leave the firm should lose their access automatically', documents: ['scim.md', 'sign-in.md'] },
  { query: 'Search in our PDF manuals', documents: ['knowledge.md'] },
  {
    query: 'The connection broke while the answer was being written',
    documents: ['chat.md', 'frontends.md', 'openai-responses.md'],
  },
  { query: 'How many requests per second can it take?', documents: ['performance.md'] },
  { query: 'Build my own chat page with React', documents: ['frontends.md'] },
  { query: 'Add a new part with its own tables and routes', documents: ['add-a-module.md'] },
  { query: 'Update to a new version without stopping', documents: ['operations.md'] },
  { query: 'What did each answer cost us?', documents: ['costs.md', 'money.md'] },
];

module.exports = { OWN_WORDS };
