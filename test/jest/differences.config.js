const { mysqlProject, oldNodeProjects, shared } = require('./projects.js');

/**
 * Of the tests that `npm test` runs, those that can end otherwise on the oldest release of Node and on MySQL. One run, so
 * that workers that have loaded the service serve both.
 */
const projects = oldNodeProjects();
if (process.env.TEST_MYSQL) projects.push(mysqlProject(false));

module.exports = { ...shared, projects };
