const { oldNodeProjects, serverProject, shared } = require('./projects.js');

/**
 * The tests whose outcome can differ on the oldest supported Node release and on MySQL. They share one run, so that
 * workers that have loaded the service serve both.
 */
const projects = oldNodeProjects();
if (process.env.TEST_MYSQL) projects.push(serverProject('mysql', false));

module.exports = { ...shared, projects };
