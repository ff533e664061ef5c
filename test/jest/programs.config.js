const { programsProject, shared } = require('./projects.js');

/** Coding agents of others against the built service: `npm run test:programs`. */
module.exports = { ...shared, maxWorkers: 1, projects: [programsProject()] };
