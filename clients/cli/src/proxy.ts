/** Whether the environment names a proxy, in one of the variables that curl and Node know. */
export function namesProxy(): boolean {
  return ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].some(name => process.env[name]);
}

/** From 24.14 on Node's `fetch` goes through it. */
export function canUseProxy(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 14);
}
