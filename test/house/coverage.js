const { readFileSync } = require('node:fs');
const { Session } = require('node:inspector/promises');
const { setTimeout: pause } = require('node:timers/promises');
const { fileURLToPath } = require('node:url');

/** Work that follows an answer has ended when no other function has run for so long. */
const QUIET_MILLISECONDS = 100;

/** Which lines of files this process runs, by V8's coverage of blocks. */
class Coverage {
  /** @param {(file: string) => boolean} isCounted by the path of a file */
  constructor(isCounted) {
    this.isCounted = isCounted;
    this.session = new Session();
    this.session.connect();
  }

  async start() {
    await this.session.post('Profiler.enable');
  }

  stop() {
    this.session.disconnect();
  }

  /**
   * @param {() => Promise<unknown>} work
   * @returns {Promise<Map<string, Set<number>>>} the lines of each file that ran during the work and what it set off
   */
  async linesOf(work) {
    await this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await work();
    const lines = new Map();
    do await pause(QUIET_MILLISECONDS);
    while (await this.addTo(lines));
    await this.session.post('Profiler.stopPreciseCoverage');
    return lines;
  }

  /** Adds what ran since the last time, and says whether there was anything new. */
  async addTo(lines) {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    let isNew = false;
    for (const { url, functions } of result) {
      if (!url.startsWith('file:') || !functions.some(({ ranges }) => ranges[0].count > 0)) continue;
      const file = fileURLToPath(url);
      if (!this.isCounted(file)) continue;
      const known = lines.get(file) ?? new Set();
      const before = known.size;
      linesRun(readFileSync(file, 'utf8'), functions).forEach((line) => known.add(line));
      isNew ||= known.size > before;
      lines.set(file, known);
    }
    return isNew;
  }
}

/** Inner ranges come after the outer ones, so the last one that contains a character says whether it ran. */
function linesRun(text, functions) {
  const hasRun = new Uint8Array(text.length);
  const ranges = functions.flatMap(({ ranges: own }) => own);
  ranges.sort((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset);
  for (const { startOffset, endOffset, count } of ranges) hasRun.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  let start = 0;
  return text.split('\n').flatMap((line, index) => {
    const isRun = [...line].some((character, at) => /\S/.test(character) && hasRun[start + at] === 1);
    start += line.length + 1;
    return isRun ? [index] : [];
  });
}

module.exports = { Coverage };
