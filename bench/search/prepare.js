const { setTimeout: delay } = require('node:timers/promises');
const { analyse, openForSeeding, seedHistory } = require('../history/seed.js');

const WORDS = 500;
/** Pseudo words of seven letters, each followed by a space. */
const VOCABULARY = Array.from({ length: WORDS }, (_word, index) => wordOf(index * 7_919 + 1)).join('');

/**
 * About a hundred characters: ten of 500 words, the same two words in each message, and in some messages a rare word.
 *
 * @returns {string} SQL, with `i` for the number of the message
 */
function contentSql() {
  const pick = (factor) => `SUBSTR('${VOCABULARY}', 1 + 8 * ((i * ${factor} + ${factor} * (i % 97)) % ${WORDS}), 8)`;
  const picks = [3, 7, 11, 17, 29, 41, 59, 83, 101, 131].map(pick).join(', ');
  const some = (every, text) => `CASE WHEN i % ${every} = ${every / 2} THEN '${text}' ELSE '' END`;
  const rare = [
    some(100_000, 'Quetzalcoatl '),
    some(50_000, 'amber falcons '),
    some(20_000, '旅行の計画 '),
    some(10_000, 'Crème brûlée '),
  ];
  return `CONCAT('common words ', ${picks}, ${rare.join(', ')})`;
}

/** The search terms, and what each one tests. */
const NEEDLES = {
  'a rare word': 'quetzalcoatl',
  'a word of each message': 'common',
  'a word of one message in 50': VOCABULARY.slice(0, 7),
  'two words': 'amber falcon',
  'two Chinese characters': '旅行',
  'a word with accents': 'CRÈME BRÛLÉE',
  'what is nowhere': 'nowhere at all',
  'a part of each word': 'a'.repeat(199) + 'b',
  'letters with many forms': 'ßi'.repeat(100),
  'two letters': 'zq',
};

const HISTORIES = {
  'in 20 conversations': { chats: 20, messagesPerChat: 50_000 },
  'in 20,000 conversations': { chats: 20_000, messagesPerChat: 50 },
};

/**
 * Creates users with 1,000,000 messages each, and waits until these are indexed.
 *
 * @returns {Promise<Map<string, string>>} their tokens
 */
async function prepareSearchers(service) {
  const people = new Map();
  for (const name of Object.keys(HISTORIES)) {
    people.set(name, await service.register(`searcher${people.size}`));
  }
  const [{ token }] = people.values();
  const [{ id: agentId }] = await service.request('GET', '/chat/agents/active', { token });
  await service.process.end();
  const database = await openForSeeding(service);
  let firstId = 1_000_000;
  for (const [name, history] of Object.entries(HISTORIES)) {
    await seedHistory(database, { userId: people.get(name).id, agentId, firstId, content: contentSql(), ...history });
    firstId += 1_000_000;
  }
  await analyse(database, service);
  await database.close();
  await service.startProcess();
  // Indexing starts only after the time in which a lower id may still be committed.
  while ((await service.metrics()).search_segments_waiting === 0) {
    await delay(100);
  }
  const startedAt = Date.now();
  while (await isFilling(service)) {
    await delay(1_000);
  }
  console.log(`  ${service.engine}: the index took ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  return new Map([...people].map(([name, person]) => [name, person.token]));
}

async function isFilling(service) {
  const { search_index_lag_messages, search_segments_waiting } = await service.metrics();
  return search_index_lag_messages > 0 || search_segments_waiting > 0;
}

function wordOf(number) {
  let text = '';
  for (let letter = 0, left = number * 31_337; letter < 7; letter++) {
    text += String.fromCharCode(97 + (left % 26));
    left = Math.floor(left / 26) + letter * 17 + number;
  }
  return `${text} `;
}

module.exports = { NEEDLES, prepareSearchers };
