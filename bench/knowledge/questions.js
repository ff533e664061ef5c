const { readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');

const DOCUMENTS = path.join(__dirname, '../../docs');

/** Sections that are shorter are lists of links or tables of one row. */
const SHORTEST = 200;

/**
 * The sections of our own documentation without their headings, and the headings as questions: those of at least two
 * words that only one section has.
 *
 * @returns {{sections: {document: string, title: string, heading: string, text: string}[], questions: {query: string, answer: number}[]}}
 */
function readQuestions(folder = DOCUMENTS) {
  const sections = readDocuments(folder).flatMap(sectionsOf);
  const counts = new Map();
  sections.forEach(({ heading }) => counts.set(heading, (counts.get(heading) ?? 0) + 1));
  const questions = sections.flatMap(({ heading }, answer) =>
    heading.includes(' ') && counts.get(heading) === 1 ? [{ query: heading, answer }] : [],
  );
  return { sections, questions };
}

/** @returns {{name: string, text: string}[]} our own documentation */
function readDocuments(folder = DOCUMENTS) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));
}

function sectionsOf({ name, text: whole }) {
  const title = /^# (.+)$/m.exec(whole)?.[1] ?? '';
  return whole
    .split(/^(?=#{2,3} )/m)
    .slice(1)
    .map((section) => {
      const [heading, ...lines] = section.split('\n');
      return {
        document: name,
        title,
        heading: heading.replace(/^#+ /, '').replaceAll('`', ''),
        text: lines.join('\n').trim(),
      };
    })
    .filter(({ text }) => text.length >= SHORTEST);
}

module.exports = { readDocuments, readQuestions };
