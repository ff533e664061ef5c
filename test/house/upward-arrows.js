/**
 * The arrows between the rooms of a module (its folders, and the files next to them) that run upwards: in the order of the rooms in
 * which the fewest imports do. Each arrow stands for all imports from one room to another.
 *
 * @param {Map<string, Map<string, string[]>>} graph
 * @param {string} folder with a slash at the end
 * @returns {string[]} `<room> -> <room>`
 */
function upwardArrows(graph, folder) {
  const weights = arrowsBetween(graph, folder);
  return circlesOf(weights).flatMap((rooms) => upwardIn(rooms, weights));
}

/** How many imports each arrow stands for, by the rooms. */
function arrowsBetween(graph, folder) {
  const roomOf = (file) => /^[^/]+\/?/.exec(file.slice(folder.length))[0];
  const weights = new Map();
  for (const [file, imports] of graph) {
    for (const imported of file.startsWith(folder) ? imports.keys() : []) {
      if (!imported.startsWith(folder) || roomOf(file) === roomOf(imported)) continue;
      const arrows = weights.get(roomOf(file)) ?? new Map();
      weights.set(roomOf(file), arrows.set(roomOf(imported), (arrows.get(roomOf(imported)) ?? 0) + 1));
    }
  }
  return weights;
}

/** Groups of rooms that reach each other. Arrows between two groups can all run downwards. */
function circlesOf(weights) {
  const reached = new Map([...weights.keys()].map((room) => [room, reachedFrom(room, weights)]));
  const circles = new Map();
  for (const [room, others] of reached) {
    const circle = [...others].filter((other) => reached.get(other)?.has(room)).sort();
    if (circle.length > 1) circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}

function reachedFrom(room, weights) {
  const reached = new Set();
  const open = [room];
  while (open.length > 0) {
    for (const next of weights.get(open.pop())?.keys() ?? []) {
      if (!reached.has(next)) open.push(next);
      reached.add(next);
    }
  }
  return reached;
}

/** Tries all orders by the sets of the lower rooms: what a set costs does not depend on the order within it. */
function upwardIn(rooms, weights) {
  const weight = rooms.map((from) => rooms.map((to) => weights.get(from)?.get(to) ?? 0));
  // One arrow less decides between orders with as many imports.
  const cost = weight.map((row) => row.map((imports) => imports * rooms.length ** 2 + (imports > 0 ? 1 : 0)));
  const all = 2 ** rooms.length - 1;
  const best = new Float64Array(all + 1).fill(Infinity);
  const highest = new Uint8Array(all + 1);
  best[0] = 0;
  for (let lower = 0; lower < all; lower++) {
    for (let room = 0; room < rooms.length; room++) {
      if (lower & (1 << room)) continue;
      const total = membersOf(lower).reduce((sum, below) => sum + cost[below][room], best[lower]);
      const set = lower | (1 << room);
      if (total < best[set]) [best[set], highest[set]] = [total, room];
    }
  }
  const arrows = [];
  for (let set = all; set > 0;) {
    const top = highest[set];
    set &= ~(1 << top);
    arrows.push(
      ...membersOf(set)
        .filter((below) => weight[below][top] > 0)
        .map((below) => `${rooms[below]} -> ${rooms[top]}`),
    );
  }
  return arrows.sort();
}

function membersOf(set) {
  const members = [];
  for (let room = 0; set >> room > 0; room++) if (set & (1 << room)) members.push(room);
  return members;
}

module.exports = { upwardArrows };
