const { readdirSync, readFileSync } = require('node:fs');

/** Clock ticks per second, a fixed value in Linux's interfaces to programs. */
const TICKS_PER_SECOND = 100;

/**
 * Seconds of processor time of this process and its exited children, by proc(5), `/proc/[pid]/stat`: servers and
 * browsers that a test stopped count too. On other systems than Linux, this process only.
 */
function processorSeconds() {
  if (process.platform === 'linux') return statOf('self').seconds;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** The same including running children, such as the browser that the files of a worker share. */
function processorSecondsOfAll() {
  return process.platform === 'linux' ? secondsOfTree(process.pid) : processorSeconds();
}

/** Of a process and all its descendants. */
function secondsOfTree(root) {
  const processes = new Map(
    readdirSync('/proc')
      .filter(Number)
      .map((id) => [Number(id), statOf(id)]),
  );
  const isBelow = (id) => id === root || (processes.has(id) && isBelow(processes.get(id).parent));
  return [...processes].reduce((sum, [id, { seconds }]) => (isBelow(id) ? sum + seconds : sum), 0);
}

/** @returns {{parent: number, seconds: number}} nothing of a process that has just ended */
function statOf(id) {
  let stat = '';
  try {
    stat = readFileSync(`/proc/${id}/stat`, 'utf8');
  } catch {
    return { parent: 0, seconds: 0 };
  }
  // After the name of the program, which may contain spaces. The parent is field 4, and utime, stime, cutime and cstime
  // are fields 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).map(Number);
  return { parent: Number(fields[1]), seconds: ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND };
}

module.exports = { processorSeconds, processorSecondsOfAll };
