/** Whether the environment sets a proxy, in one of the variables that curl and Node read. */
export function namesProxy(): boolean {
  return ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].some(name => process.env[name]);
}

/** Node's `fetch` supports proxies from 24.14. */
export function canUseProxy(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 14);
}
