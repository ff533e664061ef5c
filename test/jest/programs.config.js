const { programsProject, shared } = require('./projects.js');

/**
 * Tests that need the npm registry: coding agents with the built service, and an installation of the packed service.
 * `npm run test:programs`
 */
module.exports = { ...shared, maxWorkers: 1, projects: [programsProject()] };
