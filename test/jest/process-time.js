const { readFileSync } = require('node:fs');

/** Clock ticks a second, which Linux has fixed for what it tells programs. */
const TICKS_PER_SECOND = 100;

/**
 * Seconds of processor time of this process and of those it started that have ended, by proc(5), `/proc/[pid]/stat`:
 * servers and browsers that a test ended count too. Elsewhere than on Linux this process alone.
 */
function processorSeconds() {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // Behind the name of the program, which may have spaces: utime, stime, cutime and cstime are fields 14 to 17 of all.
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

module.exports = { processorSeconds };
