const { mysqlProject, shared } = require('./projects.js');

module.exports = { ...shared, projects: [mysqlProject(true)] };
