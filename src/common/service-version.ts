/** The version of the service. A release raises it together with `package.json`, and a test compares them. */
export const SERVICE_VERSION = '1.0.0';
