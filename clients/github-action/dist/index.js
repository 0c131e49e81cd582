var __defProp = Object.defineProperty;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};

// clients/sdk/src/errors.ts
function errorOfAnswer(status, headers, text) {
  const body = jsonObject(text);
  const error2 = body?.error;
  const idInBody = isObject(error2) && typeof error2.requestId === "string" ? error2.requestId : void 0;
  const facts = {
    status,
    requestId: headers.get("x-request-id") ?? idInBody ?? headers.get("apigw-requestid") ?? void 0,
    retryable: passingStatuses.includes(status),
    retryAfterMs: retryAfterMs(headers.get("retry-after"), Date.now()),
    outcomeUnknown: status >= 500
  };
  if (!isObject(error2) || typeof error2.code !== "string" || typeof error2.message !== "string") {
    const said = typeof body?.message === "string" ? `: ${body.message.slice(0, 200)}` : "";
    const kind = body === void 0 && /html/.test(headers.get("content-type") ?? "") ? " with a web page" : "";
    return new GatewayError(`Not the service but a gateway answered ${status}${kind}${said}.`, {
      ...facts,
      code: "gateway_error"
    });
  }
  const { code, details } = error2;
  const message = withProblems(error2.message, details);
  const known = { ...facts, code, details };
  if (code === "revision_mismatch" && isObject(details) && typeof details.currentRevision === "number") {
    return new RevisionMismatch(message, known, details.currentRevision);
  }
  if (code === "version_mismatch" && isObject(details) && typeof details.currentVersion === "number") {
    return new VersionMismatch(message, known, details.currentVersion);
  }
  if (code === "approval_required" && isObject(details) && typeof details.propose === "string") {
    return new ApprovalRequired(message, known, details.propose);
  }
  return new HoldfastError(message, known);
}
function errorOfFetch(origin, failure) {
  const cause = failure instanceof Error && failure.cause !== void 0 ? failure.cause : failure;
  const failures = isObject(cause) && Array.isArray(cause.errors) && cause.errors.length > 0 ? cause.errors : [cause];
  const attempts = failures.map(attemptOf);
  const isCertificate = attempts.some(({ code }) => certificateCodes.test(code));
  const isFinal = isCertificate || attempts.some(({ code }) => tlsCodes.test(code));
  const nothingSent = isFinal || attempts.every(({ isConnect }) => isConnect);
  const codes = attempts.map(({ code, address }) => attempts.length > 1 ? `${address} ${code}`.trim() : code);
  const why = codes.join(", ");
  const problem = isCertificate ? ": its certificate is not trusted" : "";
  return new ConnectionError(`No connection to ${origin}${problem}${why === "" ? "" : ` (${why})`}.`, {
    code: "connection_failed",
    retryable: !isFinal,
    outcomeUnknown: !nothingSent,
    cause: failure
  });
}
function attemptOf(error2) {
  const { code, syscall, address } = isObject(error2) ? error2 : {};
  const text = (value) => typeof value === "string" ? value : "";
  return {
    code: text(code),
    address: text(address),
    isConnect: syscall === "connect" || connectCodes.includes(text(code))
  };
}
function retryAfterMs(header, now) {
  if (header === null) return void 0;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1e3;
  const date = Date.parse(header);
  return Number.isNaN(date) ? void 0 : Math.max(0, date - now);
}
function withProblems(message, details) {
  if (!Array.isArray(details)) return message;
  const problems = details.filter(isProblem).map(({ path: path2, message: problem }) => `${path2 || "body"}: ${problem}`);
  const next = problems.slice(1, 5);
  if (next.length === 0) return message;
  const more = problems.length > 5 ? `; and ${problems.length - 5} more` : "";
  return `${message.replace(/ \(and \d+ more\)$/, "")}; ${next.join("; ")}${more}`;
}
function isProblem(value) {
  return isObject(value) && typeof value.path === "string" && typeof value.message === "string";
}
function jsonObject(text) {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value : void 0;
  } catch {
    return void 0;
  }
}
function isObject(value) {
  return typeof value === "object" && value !== null;
}
var HoldfastError, RevisionMismatch, VersionMismatch, ApprovalRequired, ConnectionError, TimeoutError, GatewayError, passingStatuses, connectCodes, certificateCodes, tlsCodes;
var init_errors = __esm({
  "clients/sdk/src/errors.ts"() {
    "use strict";
    HoldfastError = class extends Error {
      name = "HoldfastError";
      /** One of `ErrorCode`, or a code that a newer service added. */
      code;
      /** The HTTP status; undefined without a response. */
      status;
      requestId;
      details;
      /** Whether the same call may succeed later: no connection, a timeout, 429, 502 to 504. */
      retryable;
      /** The service's `Retry-After`. */
      retryAfterMs;
      /** True if the change may have been applied even though the call failed. Read the revision before retrying. */
      outcomeUnknown;
      constructor(message, facts) {
        super(message, facts.cause === void 0 ? void 0 : { cause: facts.cause });
        this.code = facts.code;
        this.status = facts.status;
        this.requestId = facts.requestId;
        this.details = facts.details;
        this.retryable = facts.retryable ?? false;
        this.retryAfterMs = facts.retryAfterMs;
        this.outcomeUnknown = facts.outcomeUnknown ?? false;
      }
    };
    RevisionMismatch = class extends HoldfastError {
      name = "RevisionMismatch";
      currentRevision;
      constructor(message, facts, currentRevision) {
        super(message, facts);
        this.currentRevision = currentRevision;
      }
    };
    VersionMismatch = class extends HoldfastError {
      name = "VersionMismatch";
      /** 0 if the key does not exist. */
      currentVersion;
      constructor(message, facts, currentVersion) {
        super(message, facts);
        this.currentVersion = currentVersion;
      }
    };
    ApprovalRequired = class extends HoldfastError {
      name = "ApprovalRequired";
      /** The path for proposals. */
      propose;
      constructor(message, facts, propose) {
        super(message, facts);
        this.propose = propose;
      }
    };
    ConnectionError = class extends HoldfastError {
      name = "ConnectionError";
    };
    TimeoutError = class extends HoldfastError {
      name = "TimeoutError";
    };
    GatewayError = class extends HoldfastError {
      name = "GatewayError";
    };
    passingStatuses = [429, 502, 503, 504];
    connectCodes = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"];
    certificateCodes = /CERT|SIGNATURE/;
    tlsCodes = /^ERR_(?:TLS|SSL)/;
  }
});

// clients/sdk/src/id-token-failure.ts
function noIdToken(message, more = {}) {
  return new HoldfastError(message, { code: "platform_token_unavailable", ...more });
}
function reasonOf(error2) {
  const { code, name, cause } = error2 ?? {};
  if (name === "TimeoutError" || name === "AbortError") return "no answer in time";
  const known = code ?? cause?.code;
  return typeof known === "string" ? known : "no usable answer";
}
var init_id_token_failure = __esm({
  "clients/sdk/src/id-token-failure.ts"() {
    "use strict";
    init_errors();
  }
});

// clients/sdk/src/node-modules.ts
function nodeModule(name) {
  const load = globalThis.process?.getBuiltinModule;
  if (load === void 0) throw new TypeError("This source of ID tokens requires Node 20.16 or newer.");
  return load(name);
}
var init_node_modules = __esm({
  "clients/sdk/src/node-modules.ts"() {
    "use strict";
  }
});

// clients/sdk/src/id-token-command.ts
var id_token_command_exports = {};
__export(id_token_command_exports, {
  runIdTokenCommand: () => runIdTokenCommand
});
function runIdTokenCommand({ audience, variables }, limitMs4 = 3e4) {
  const { spawn } = nodeModule("node:child_process");
  const child = spawn(variables.HOLDFAST_ID_TOKEN_COMMAND ?? "", {
    shell: true,
    // In a process group of its own, so that everything it started ends with it.
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...variables, HOLDFAST_AUDIENCE: audience },
    windowsHide: true
  });
  const ignoreSignals = killOnSignal(() => killGroup(child.pid));
  let output = "";
  let complaint = "";
  return new Promise((resolve2, reject) => {
    const end = (settle) => {
      clearTimeout(timer);
      ignoreSignals();
      settle();
    };
    const fail = (problem, cause) => {
      killGroup(child.pid);
      child.stdout.destroy();
      child.stderr.destroy();
      const said = complaint.trim() === "" ? "" : `
${complaint.trim()}`;
      const message = `HOLDFAST_ID_TOKEN_COMMAND ${problem}: set it to a command that prints the token.${said}`;
      end(() => reject(noIdToken(message, { cause })));
    };
    const timer = setTimeout(() => fail(`did not end within ${limitMs4 / 1e3} seconds`), limitMs4);
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (output.length > mostOutputCharacters) fail(`printed more than ${mostOutputCharacters} characters`);
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      complaint = (complaint + text).slice(-shownCharacters);
    });
    child.on("error", (error2) => fail(`could not be started (${reasonOf(error2)})`, error2));
    child.on("close", (code, signal) => {
      if (code === 0 && output.trim() !== "") end(() => resolve2(output));
      else if (code === 0) fail("printed nothing");
      else fail(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`);
    });
  });
}
function killGroup(pid) {
  if (pid === void 0) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
  }
}
function killOnSignal(kill) {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  const take = (signal) => {
    kill();
    stop();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const stop = () => {
    for (const signal of signals) process.removeListener(signal, take);
  };
  for (const signal of signals) process.on(signal, take);
  return stop;
}
var mostOutputCharacters, shownCharacters;
var init_id_token_command = __esm({
  "clients/sdk/src/id-token-command.ts"() {
    "use strict";
    init_id_token_failure();
    init_node_modules();
    mostOutputCharacters = 65536;
    shownCharacters = 2e3;
  }
});

// clients/sdk/src/id-token-file.ts
var id_token_file_exports = {};
__export(id_token_file_exports, {
  readIdToken: () => readIdToken
});
function readIdToken({ variables: { HOLDFAST_ID_TOKEN_FILE: file = "" } }) {
  const { readFileSync } = nodeModule("node:fs");
  try {
    return readFileSync(file, "utf8");
  } catch (error2) {
    const tried = `${file} could not be read (${reasonOf(error2)})`;
    throw noIdToken(`${tried}: set HOLDFAST_ID_TOKEN_FILE to the path of a file that contains the token.`, {
      cause: error2
    });
  }
}
var init_id_token_file = __esm({
  "clients/sdk/src/id-token-file.ts"() {
    "use strict";
    init_id_token_failure();
    init_node_modules();
  }
});

// clients/sdk/src/id-token-github.ts
var id_token_github_exports = {};
__export(id_token_github_exports, {
  askGitHub: () => askGitHub
});
async function askGitHub({ audience, variables, fetch: doFetch }) {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url = "", ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer = "" } = variables;
  const failed = (reason, retryable, cause) => noIdToken(`GitHub Actions returned no token (${reason}): check that the job has the permission id-token: write.`, {
    retryable,
    cause
  });
  let answer;
  try {
    const address = new URL(url);
    address.searchParams.set("audience", audience);
    const response = await doFetch(address, {
      headers: { accept: "application/json", authorization: `Bearer ${bearer}` },
      // Following a redirect would send the token to an address that the runner did not specify.
      redirect: "manual",
      signal: AbortSignal.timeout(limitMs)
    });
    answer = { status: response.status, body: response.ok ? await response.json() : void 0 };
  } catch (error2) {
    throw failed(reasonOf(error2), true, error2);
  }
  const { status, body } = answer;
  if (isObject(body) && typeof body.value === "string" && body.value !== "") return body.value;
  throw failed(`it answered ${status}`, status >= 500 || status === 429);
}
var limitMs;
var init_id_token_github = __esm({
  "clients/sdk/src/id-token-github.ts"() {
    "use strict";
    init_errors();
    init_id_token_failure();
    limitMs = 1e4;
  }
});

// clients/sdk/src/platform-request.ts
async function askPlatform(url, headers, method = "GET") {
  for (let attempt2 = 0; ; attempt2 += 1) {
    const pauseMs2 = pausesMs[attempt2];
    try {
      const answer = await askOnce(new URL(url), headers, method);
      if (pauseMs2 === void 0 || answer.status < 500 && answer.status !== 429) return answer;
    } catch (error2) {
      if (pauseMs2 === void 0) throw new Error(reasonOf(error2));
    }
    await new Promise((resolve2) => setTimeout(resolve2, pauseMs2));
  }
}
function askOnce(url, headers, method) {
  const { request } = url.protocol === "https:" ? nodeModule("node:https") : nodeModule("node:http");
  return new Promise((resolve2, reject) => {
    const options = { method, headers, agent: false, signal: AbortSignal.timeout(limitMs2) };
    const asked = request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
        if (text.length > mostCharacters) asked.destroy(new Error("too long"));
      });
      response.on("error", reject);
      response.on("end", () => resolve2({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    asked.on("error", reject);
    asked.end();
  });
}
var limitMs2, pausesMs, mostCharacters;
var init_platform_request = __esm({
  "clients/sdk/src/platform-request.ts"() {
    "use strict";
    init_id_token_failure();
    init_node_modules();
    limitMs2 = 2e3;
    pausesMs = [250, 1e3];
    mostCharacters = 65536;
  }
});

// clients/sdk/src/read-named-file.ts
function readNamedFile(path2, variable) {
  const { readFileSync } = nodeModule("node:fs");
  try {
    return readFileSync(path2, "utf8").trim();
  } catch (error2) {
    throw noIdToken(
      `${variable} names ${path2}, which could not be read (${reasonOf(error2)}): set it to a readable file.`,
      { cause: error2 }
    );
  }
}
function tokenInFile(path2) {
  const read = () => readNamedFile(path2, "HOLDFAST_TOKEN_FILE");
  read();
  return read;
}
var init_read_named_file = __esm({
  "clients/sdk/src/read-named-file.ts"() {
    "use strict";
    init_id_token_failure();
    init_node_modules();
  }
});

// clients/sdk/src/sts.ts
function stsIn(region, endpoint, doFetch) {
  const [, suffix] = Object.entries(suffixes).find(([prefix]) => region.startsWith(prefix));
  const given = endpoint || `https://sts.${region}.${suffix}`;
  if (!URL.canParse(given)) throw noIdToken(`${given} is not an address: set AWS_REGION or AWS_ENDPOINT_URL_STS.`);
  const url = new URL(given).href;
  return {
    url,
    call: async (parameters, sign) => {
      const action = parameters.Action;
      const body = new URLSearchParams(parameters).toString();
      const headers = await sign?.(body) ?? { "content-type": "application/x-www-form-urlencoded" };
      let answer;
      try {
        const signal = AbortSignal.timeout(limitMs3);
        const response = await doFetch(url, { method: "POST", headers, body, redirect: "manual", signal });
        answer = { status: response.status, text: await response.text() };
      } catch (error2) {
        const tried2 = `AWS STS at ${url} did not answer ${action} (${reasonOf(error2)})`;
        throw noIdToken(`${tried2}: check AWS_REGION and AWS_ENDPOINT_URL_STS.`, { retryable: true, cause: error2 });
      }
      const { status, text } = answer;
      const element = (name) => elementOf(text, name) ?? "";
      if (status === 200) return element;
      const code = /^\w{1,100}$/.exec(element("Code"))?.[0].replace(/Exception$/, "");
      const tried = `AWS STS at ${url} refused ${action} (${[status, code].join(" ").trim()})`;
      const retryable = status >= 500 || status === 429 || code === "Throttling";
      throw noIdToken(`${tried}: ${remedies[code ?? ""] ?? otherRemedy}.`, { retryable });
    }
  };
}
function elementOf(xml, name) {
  const entities = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity) => entities[entity] ?? "").trim();
}
var limitMs3, stsVersion, suffixes, remedies, otherRemedy;
var init_sts = __esm({
  "clients/sdk/src/sts.ts"() {
    "use strict";
    init_id_token_failure();
    limitMs3 = 1e4;
    stsVersion = "2011-06-15";
    suffixes = {
      "cn-": "amazonaws.com.cn",
      "eusc-": "amazonaws.eu",
      "us-iso-": "c2s.ic.gov",
      "us-isob-": "sc2s.sgov.gov",
      "eu-isoe-": "cloud.adc-e.uk",
      "us-isof-": "csp.hci.ic.gov",
      "eu-isof-": "csp.hci.ic.gov",
      "": "amazonaws.com"
    };
    remedies = {
      AccessDenied: "allow the role sts:GetWebIdentityToken",
      OutboundWebIdentityFederationDisabled: "enable outbound identity federation in the account (aws iam enable-outbound-web-identity-federation)",
      SessionDurationEscalation: "wait for new AWS credentials, because these expire within five minutes"
    };
    otherRemedy = "check the AWS credentials and AWS_REGION";
  }
});

// clients/sdk/src/aws-credentials.ts
async function findAwsCredentials(variables, sts) {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, sessionToken: variables.AWS_SESSION_TOKEN || void 0 };
  }
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: role } = variables;
  if (file && role)
    return assumeRole(sts, role, variables.AWS_ROLE_SESSION_NAME, readNamedFile(file, "AWS_WEB_IDENTITY_TOKEN_FILE"));
  const container = containerAddress(variables);
  if (container !== void 0) return askContainer(container, variables);
  const read = instanceMetadata(variables);
  const folder = "/latest/meta-data/iam/security-credentials/";
  const [name = ""] = (await read(folder)).trim().split("\n");
  return credentialsIn(await read(folder + name), "The instance metadata");
}
async function findAwsRegion(variables) {
  const region = variables.AWS_REGION || variables.AWS_DEFAULT_REGION;
  if (region) return checkRegion(region);
  const elsewhere = ["AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE"].some((name) => variables[name]);
  if (elsewhere || containerAddress(variables) !== void 0) {
    throw noIdToken("The source aws needs a region, but none is set: set AWS_REGION.");
  }
  return checkRegion((await instanceMetadata(variables)("/latest/meta-data/placement/region")).trim());
}
function checkRegion(region) {
  if (/^[a-z0-9-]{1,40}$/.test(region)) return region;
  throw noIdToken("The AWS region is not a region’s name, such as eu-west-1: set AWS_REGION.");
}
async function assumeRole(sts, role, session, token) {
  const element = await sts.call({
    Action: "AssumeRoleWithWebIdentity",
    Version: stsVersion,
    RoleArn: role,
    RoleSessionName: session || `holdfast-${Date.now()}`,
    WebIdentityToken: token
  });
  return {
    accessKeyId: element("AccessKeyId"),
    secretAccessKey: element("SecretAccessKey"),
    sessionToken: element("SessionToken")
  };
}
function containerAddress(variables) {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative2, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = variables;
  return relative2 ? taskHost + relative2 : full || void 0;
}
async function askContainer(address, variables) {
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file, AWS_CONTAINER_AUTHORIZATION_TOKEN: given } = variables;
  const url = URL.canParse(address) ? new URL(address) : void 0;
  if (url === void 0 || !isTrustedContainerAddress(url)) {
    throw noIdToken(
      "The container’s credentials were not requested: set AWS_CONTAINER_CREDENTIALS_FULL_URI to an https address, or to http on this machine or at an address that AWS reserves for it."
    );
  }
  const token = file ? readNamedFile(file, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") : given;
  const failed = (reason, cause) => noIdToken(
    `The container’s endpoint ${url.origin} returned no AWS credentials (${reason}): check AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI and its authorization token.`,
    { cause }
  );
  if (token !== void 0 && !/^[\x20-\x7e]*$/.test(token))
    throw failed("its token is not one line of ASCII characters");
  const headers = { accept: "application/json", ...token ? { authorization: token } : {} };
  const answer = await askPlatform(url, headers).catch((error2) => {
    throw failed(error2.message, error2);
  });
  if (answer.status !== 200) throw failed(`it answered ${answer.status}`);
  return credentialsIn(answer.text, `The container’s endpoint ${url.origin}`);
}
function isTrustedContainerAddress({ protocol, hostname }) {
  if (protocol === "https:") return true;
  if (protocol !== "http:") return false;
  return /^(?:localhost|\[::1\]|127\.\d+\.\d+\.\d+|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])$/.test(hostname);
}
function instanceMetadata(variables) {
  const { AWS_EC2_METADATA_DISABLED: disabled, AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint } = variables;
  if (disabled && disabled !== "false") {
    throw noIdToken(`No AWS credentials were found, and AWS_EC2_METADATA_DISABLED is set: ${whatToSet}.`);
  }
  const mode = variables.AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE?.toLowerCase() === "ipv6" ? "ipv6" : "ipv4";
  const base = endpoint || instanceEndpoints[mode];
  const failed = (reason, cause) => noIdToken(`No AWS credentials were found in variables or at ${base} (${reason}): ${whatToSet}.`, { cause });
  const ask = async (path2, headers, method) => {
    if (!URL.canParse(path2, base)) throw failed("AWS_EC2_METADATA_SERVICE_ENDPOINT is not an address");
    const answer = await askPlatform(new URL(path2, base), headers, method).catch((error2) => {
      throw failed(error2.message, error2);
    });
    if (answer.status !== 200) throw failed(`it answered ${answer.status}`);
    return answer.text;
  };
  return async (path2) => {
    const token = await ask("/latest/api/token", { "x-aws-ec2-metadata-token-ttl-seconds": "60" }, "PUT");
    return ask(path2, { "x-aws-ec2-metadata-token": token });
  };
}
function credentialsIn(text, source) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
  }
  const { AccessKeyId, SecretAccessKey, Token } = isObject(value) ? value : {};
  if (typeof AccessKeyId === "string" && typeof SecretAccessKey === "string" && typeof Token === "string") {
    return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token };
  }
  throw noIdToken(`${source} returned no AWS credentials: ${whatToSet}.`);
}
var instanceEndpoints, taskHost, whatToSet;
var init_aws_credentials = __esm({
  "clients/sdk/src/aws-credentials.ts"() {
    "use strict";
    init_errors();
    init_id_token_failure();
    init_platform_request();
    init_read_named_file();
    init_sts();
    instanceEndpoints = { ipv4: "http://169.254.169.254", ipv6: "http://[fd00:ec2::254]" };
    taskHost = "http://169.254.170.2";
    whatToSet = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, or AWS_CONTAINER_CREDENTIALS_FULL_URI, or attach a role to the instance";
  }
});

// node_modules/aws4fetch/dist/aws4fetch.esm.mjs
async function hmac(key, string) {
  const cryptoKey = await crypto.subtle.importKey(
    "raw",
    typeof key === "string" ? encoder.encode(key) : key,
    { name: "HMAC", hash: { name: "SHA-256" } },
    false,
    ["sign"]
  );
  return crypto.subtle.sign("HMAC", cryptoKey, encoder.encode(string));
}
async function hash(content) {
  return crypto.subtle.digest("SHA-256", typeof content === "string" ? encoder.encode(content) : content);
}
function buf2hex(arrayBuffer) {
  const buffer = new Uint8Array(arrayBuffer);
  let out = "";
  for (let idx = 0; idx < buffer.length; idx++) {
    const n = buffer[idx];
    out += HEX_CHARS[n >>> 4 & 15];
    out += HEX_CHARS[n & 15];
  }
  return out;
}
function encodeRfc3986(urlEncodedStr) {
  return urlEncodedStr.replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
}
function guessServiceRegion(url, headers) {
  const { hostname, pathname } = url;
  if (hostname.endsWith(".on.aws")) {
    const match2 = hostname.match(/^[^.]{1,63}\.lambda-url\.([^.]{1,63})\.on\.aws$/);
    return match2 != null ? ["lambda", match2[1] || ""] : ["", ""];
  }
  if (hostname.endsWith(".r2.cloudflarestorage.com")) {
    return ["s3", "auto"];
  }
  if (hostname.endsWith(".backblazeb2.com")) {
    const match2 = hostname.match(/^(?:[^.]{1,63}\.)?s3\.([^.]{1,63})\.backblazeb2\.com$/);
    return match2 != null ? ["s3", match2[1] || ""] : ["", ""];
  }
  const match = hostname.replace("dualstack.", "").match(/([^.]{1,63})\.(?:([^.]{0,63})\.)?amazonaws\.com(?:\.cn)?$/);
  let service = match && match[1] || "";
  let region = match && match[2];
  if (region === "us-gov") {
    region = "us-gov-west-1";
  } else if (region === "s3" || region === "s3-accelerate") {
    region = "us-east-1";
    service = "s3";
  } else if (service === "iot") {
    if (hostname.startsWith("iot.")) {
      service = "execute-api";
    } else if (hostname.startsWith("data.jobs.iot.")) {
      service = "iot-jobs-data";
    } else {
      service = pathname === "/mqtt" ? "iotdevicegateway" : "iotdata";
    }
  } else if (service === "autoscaling") {
    const targetPrefix = (headers.get("X-Amz-Target") || "").split(".")[0];
    if (targetPrefix === "AnyScaleFrontendService") {
      service = "application-autoscaling";
    } else if (targetPrefix === "AnyScaleScalingPlannerFrontendService") {
      service = "autoscaling-plans";
    }
  } else if (region == null && service.startsWith("s3-")) {
    region = service.slice(3).replace(/^fips-|^external-1/, "");
    service = "s3";
  } else if (service.endsWith("-fips")) {
    service = service.slice(0, -5);
  } else if (region && /-\d$/.test(service) && !/-\d$/.test(region)) {
    [service, region] = [region, service];
  }
  return [HOST_SERVICES[service] || service, region || ""];
}
var encoder, HOST_SERVICES, UNSIGNABLE_HEADERS, AwsV4Signer, HEX_CHARS;
var init_aws4fetch_esm = __esm({
  "node_modules/aws4fetch/dist/aws4fetch.esm.mjs"() {
    encoder = new TextEncoder();
    HOST_SERVICES = {
      appstream2: "appstream",
      cloudhsmv2: "cloudhsm",
      email: "ses",
      marketplace: "aws-marketplace",
      mobile: "AWSMobileHubService",
      pinpoint: "mobiletargeting",
      queue: "sqs",
      "git-codecommit": "codecommit",
      "mturk-requester-sandbox": "mturk-requester",
      "personalize-runtime": "personalize"
    };
    UNSIGNABLE_HEADERS = /* @__PURE__ */ new Set([
      "authorization",
      "content-type",
      "content-length",
      "user-agent",
      "presigned-expires",
      "expect",
      "x-amzn-trace-id",
      "range",
      "connection"
    ]);
    AwsV4Signer = class {
      constructor({ method, url, headers, body, accessKeyId, secretAccessKey, sessionToken, service, region, cache, datetime, signQuery, appendSessionToken, allHeaders, singleEncode }) {
        if (url == null) throw new TypeError("url is a required option");
        if (accessKeyId == null) throw new TypeError("accessKeyId is a required option");
        if (secretAccessKey == null) throw new TypeError("secretAccessKey is a required option");
        this.method = method || (body ? "POST" : "GET");
        this.url = new URL(url);
        this.headers = new Headers(headers || {});
        this.body = body;
        this.accessKeyId = accessKeyId;
        this.secretAccessKey = secretAccessKey;
        this.sessionToken = sessionToken;
        let guessedService, guessedRegion;
        if (!service || !region) {
          [guessedService, guessedRegion] = guessServiceRegion(this.url, this.headers);
        }
        this.service = service || guessedService || "";
        this.region = region || guessedRegion || "us-east-1";
        this.cache = cache || /* @__PURE__ */ new Map();
        this.datetime = datetime || (/* @__PURE__ */ new Date()).toISOString().replace(/[:-]|\.\d{3}/g, "");
        this.signQuery = signQuery;
        this.appendSessionToken = appendSessionToken || this.service === "iotdevicegateway";
        this.headers.delete("Host");
        if (this.service === "s3" && !this.signQuery && !this.headers.has("X-Amz-Content-Sha256")) {
          this.headers.set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD");
        }
        const params = this.signQuery ? this.url.searchParams : this.headers;
        params.set("X-Amz-Date", this.datetime);
        if (this.sessionToken && !this.appendSessionToken) {
          params.set("X-Amz-Security-Token", this.sessionToken);
        }
        this.signableHeaders = ["host", ...this.headers.keys()].filter((header) => allHeaders || !UNSIGNABLE_HEADERS.has(header)).sort();
        this.signedHeaders = this.signableHeaders.join(";");
        this.canonicalHeaders = this.signableHeaders.map((header) => header + ":" + (header === "host" ? this.url.host : (this.headers.get(header) || "").replace(/\s+/g, " "))).join("\n");
        this.credentialString = [this.datetime.slice(0, 8), this.region, this.service, "aws4_request"].join("/");
        if (this.signQuery) {
          if (this.service === "s3" && !params.has("X-Amz-Expires")) {
            params.set("X-Amz-Expires", "86400");
          }
          params.set("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
          params.set("X-Amz-Credential", this.accessKeyId + "/" + this.credentialString);
          params.set("X-Amz-SignedHeaders", this.signedHeaders);
        }
        if (this.service === "s3") {
          try {
            this.encodedPath = decodeURIComponent(this.url.pathname.replace(/\+/g, " "));
          } catch (e) {
            this.encodedPath = this.url.pathname;
          }
        } else {
          this.encodedPath = this.url.pathname.replace(/\/+/g, "/");
        }
        if (!singleEncode) {
          this.encodedPath = encodeURIComponent(this.encodedPath).replace(/%2F/g, "/");
        }
        this.encodedPath = encodeRfc3986(this.encodedPath);
        const seenKeys = /* @__PURE__ */ new Set();
        this.encodedSearch = [...this.url.searchParams].filter(([k]) => {
          if (!k) return false;
          if (this.service === "s3") {
            if (seenKeys.has(k)) return false;
            seenKeys.add(k);
          }
          return true;
        }).map((pair) => pair.map((p) => encodeRfc3986(encodeURIComponent(p)))).sort(([k1, v1], [k2, v2]) => k1 < k2 ? -1 : k1 > k2 ? 1 : v1 < v2 ? -1 : v1 > v2 ? 1 : 0).map((pair) => pair.join("=")).join("&");
      }
      async sign() {
        if (this.signQuery) {
          this.url.searchParams.set("X-Amz-Signature", await this.signature());
          if (this.sessionToken && this.appendSessionToken) {
            this.url.searchParams.set("X-Amz-Security-Token", this.sessionToken);
          }
        } else {
          this.headers.set("Authorization", await this.authHeader());
        }
        return {
          method: this.method,
          url: this.url,
          headers: this.headers,
          body: this.body
        };
      }
      async authHeader() {
        return [
          "AWS4-HMAC-SHA256 Credential=" + this.accessKeyId + "/" + this.credentialString,
          "SignedHeaders=" + this.signedHeaders,
          "Signature=" + await this.signature()
        ].join(", ");
      }
      async signature() {
        const date = this.datetime.slice(0, 8);
        const cacheKey = [this.secretAccessKey, date, this.region, this.service].join();
        let kCredentials = this.cache.get(cacheKey);
        if (!kCredentials) {
          const kDate = await hmac("AWS4" + this.secretAccessKey, date);
          const kRegion = await hmac(kDate, this.region);
          const kService = await hmac(kRegion, this.service);
          kCredentials = await hmac(kService, "aws4_request");
          this.cache.set(cacheKey, kCredentials);
        }
        return buf2hex(await hmac(kCredentials, await this.stringToSign()));
      }
      async stringToSign() {
        return [
          "AWS4-HMAC-SHA256",
          this.datetime,
          this.credentialString,
          buf2hex(await hash(await this.canonicalString()))
        ].join("\n");
      }
      async canonicalString() {
        return [
          this.method.toUpperCase(),
          this.encodedPath,
          this.encodedSearch,
          this.canonicalHeaders + "\n",
          this.signedHeaders,
          await this.hexBodyHash()
        ].join("\n");
      }
      async hexBodyHash() {
        let hashHeader = this.headers.get("X-Amz-Content-Sha256") || (this.service === "s3" && this.signQuery ? "UNSIGNED-PAYLOAD" : null);
        if (hashHeader == null) {
          if (this.body && typeof this.body !== "string" && !("byteLength" in this.body)) {
            throw new Error("body must be a string, ArrayBuffer or ArrayBufferView, unless you include the X-Amz-Content-Sha256 header");
          }
          hashHeader = buf2hex(await hash(this.body || ""));
        }
        return hashHeader;
      }
    };
    HEX_CHARS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f"];
  }
});

// clients/sdk/src/sign-sts-request.ts
async function signStsRequest(url, body, region, { accessKeyId, secretAccessKey, sessionToken }) {
  const signer = new AwsV4Signer({
    method: "POST",
    url,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body,
    service: "sts",
    region,
    accessKeyId,
    secretAccessKey,
    ...sessionToken === void 0 ? {} : { sessionToken },
    // AWS requires a signed content type, which the library leaves out otherwise.
    allHeaders: true
  });
  return Object.fromEntries((await signer.sign()).headers);
}
var init_sign_sts_request = __esm({
  "clients/sdk/src/sign-sts-request.ts"() {
    "use strict";
    init_aws4fetch_esm();
  }
});

// clients/sdk/src/id-token-aws.ts
var id_token_aws_exports = {};
__export(id_token_aws_exports, {
  askSts: () => askSts
});
async function askSts({ audience, variables, fetch: doFetch }) {
  const region = await findAwsRegion(variables);
  const sts = stsIn(region, variables.AWS_ENDPOINT_URL_STS, doFetch);
  const credentials = await findAwsCredentials(variables, sts);
  const element = await sts.call(
    {
      Action: "GetWebIdentityToken",
      Version: stsVersion,
      "Audience.member.1": audience,
      SigningAlgorithm: "ES384",
      DurationSeconds: "300"
    },
    (body) => signStsRequest(sts.url, body, region, credentials)
  );
  return element("WebIdentityToken");
}
var init_id_token_aws = __esm({
  "clients/sdk/src/id-token-aws.ts"() {
    "use strict";
    init_aws_credentials();
    init_sign_sts_request();
    init_sts();
  }
});

// clients/sdk/src/id-token-gcp.ts
var id_token_gcp_exports = {};
__export(id_token_gcp_exports, {
  askGoogle: () => askGoogle
});
async function askGoogle({ audience, variables }) {
  const host = variables.GCE_METADATA_HOST || "metadata.google.internal";
  const failed = (reason, cause) => noIdToken(
    `Google’s metadata server at ${host} returned no token (${reason}): run this on Google Cloud with a service account, or set another HOLDFAST_ID_TOKEN_SOURCE.`,
    { cause }
  );
  const base = /^https?:\/\//.test(host) ? host : `http://${host}`;
  if (!URL.canParse(base)) throw failed("GCE_METADATA_HOST is not a host");
  const url = new URL(`${path}?${new URLSearchParams({ audience, format: "full" })}`, base);
  const answer = await askPlatform(url, { "metadata-flavor": flavor }).catch((error2) => {
    throw failed(error2.message, error2);
  });
  if (answer.headers["metadata-flavor"] !== flavor) throw failed("another server answered");
  if (answer.status !== 200) throw failed(`it answered ${answer.status}`);
  return answer.text;
}
var flavor, path;
var init_id_token_gcp = __esm({
  "clients/sdk/src/id-token-gcp.ts"() {
    "use strict";
    init_id_token_failure();
    init_platform_request();
    flavor = "Google";
    path = "/computeMetadata/v1/instance/service-accounts/default/identity";
  }
});

// node_modules/@actions/core/lib/command.js
import * as os from "os";

// node_modules/@actions/core/lib/utils.js
function toCommandValue(input) {
  if (input === null || input === void 0) {
    return "";
  } else if (typeof input === "string" || input instanceof String) {
    return input;
  }
  return JSON.stringify(input);
}
function toCommandProperties(annotationProperties) {
  if (!Object.keys(annotationProperties).length) {
    return {};
  }
  return {
    title: annotationProperties.title,
    file: annotationProperties.file,
    line: annotationProperties.startLine,
    endLine: annotationProperties.endLine,
    col: annotationProperties.startColumn,
    endColumn: annotationProperties.endColumn
  };
}

// node_modules/@actions/core/lib/command.js
function issueCommand(command, properties, message) {
  const cmd = new Command(command, properties, message);
  process.stdout.write(cmd.toString() + os.EOL);
}
var CMD_STRING = "::";
var Command = class {
  constructor(command, properties, message) {
    if (!command) {
      command = "missing.command";
    }
    this.command = command;
    this.properties = properties;
    this.message = message;
  }
  toString() {
    let cmdStr = CMD_STRING + this.command;
    if (this.properties && Object.keys(this.properties).length > 0) {
      cmdStr += " ";
      let first = true;
      for (const key in this.properties) {
        if (this.properties.hasOwnProperty(key)) {
          const val = this.properties[key];
          if (val) {
            if (first) {
              first = false;
            } else {
              cmdStr += ",";
            }
            cmdStr += `${key}=${escapeProperty(val)}`;
          }
        }
      }
    }
    cmdStr += `${CMD_STRING}${escapeData(this.message)}`;
    return cmdStr;
  }
};
function escapeData(s) {
  return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}
function escapeProperty(s) {
  return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/:/g, "%3A").replace(/,/g, "%2C");
}

// node_modules/@actions/core/lib/file-command.js
import * as crypto2 from "crypto";
import * as fs from "fs";
import * as os2 from "os";
function issueFileCommand(command, message) {
  const filePath = process.env[`GITHUB_${command}`];
  if (!filePath) {
    throw new Error(`Unable to find environment variable for file command ${command}`);
  }
  if (!fs.existsSync(filePath)) {
    throw new Error(`Missing file at path: ${filePath}`);
  }
  fs.appendFileSync(filePath, `${toCommandValue(message)}${os2.EOL}`, {
    encoding: "utf8"
  });
}
function prepareKeyValueMessage(key, value) {
  const delimiter = `ghadelimiter_${crypto2.randomUUID()}`;
  const convertedValue = toCommandValue(value);
  if (key.includes(delimiter)) {
    throw new Error(`Unexpected input: name should not contain the delimiter "${delimiter}"`);
  }
  if (convertedValue.includes(delimiter)) {
    throw new Error(`Unexpected input: value should not contain the delimiter "${delimiter}"`);
  }
  return `${key}<<${delimiter}${os2.EOL}${convertedValue}${os2.EOL}${delimiter}`;
}

// node_modules/@actions/core/lib/core.js
import * as os3 from "os";

// node_modules/@actions/core/lib/summary.js
import { EOL as EOL3 } from "os";
import { constants, promises } from "fs";
var __awaiter = function(thisArg, _arguments, P, generator) {
  function adopt(value) {
    return value instanceof P ? value : new P(function(resolve2) {
      resolve2(value);
    });
  }
  return new (P || (P = Promise))(function(resolve2, reject) {
    function fulfilled(value) {
      try {
        step(generator.next(value));
      } catch (e) {
        reject(e);
      }
    }
    function rejected(value) {
      try {
        step(generator["throw"](value));
      } catch (e) {
        reject(e);
      }
    }
    function step(result) {
      result.done ? resolve2(result.value) : adopt(result.value).then(fulfilled, rejected);
    }
    step((generator = generator.apply(thisArg, _arguments || [])).next());
  });
};
var { access, appendFile, writeFile } = promises;
var SUMMARY_ENV_VAR = "GITHUB_STEP_SUMMARY";
var Summary = class {
  constructor() {
    this._buffer = "";
  }
  /**
   * Finds the summary file path from the environment, rejects if env var is not found or file does not exist
   * Also checks r/w permissions.
   *
   * @returns step summary file path
   */
  filePath() {
    return __awaiter(this, void 0, void 0, function* () {
      if (this._filePath) {
        return this._filePath;
      }
      const pathFromEnv = process.env[SUMMARY_ENV_VAR];
      if (!pathFromEnv) {
        throw new Error(`Unable to find environment variable for $${SUMMARY_ENV_VAR}. Check if your runtime environment supports job summaries.`);
      }
      try {
        yield access(pathFromEnv, constants.R_OK | constants.W_OK);
      } catch (_a) {
        throw new Error(`Unable to access summary file: '${pathFromEnv}'. Check if the file has correct read/write permissions.`);
      }
      this._filePath = pathFromEnv;
      return this._filePath;
    });
  }
  /**
   * Wraps content in an HTML tag, adding any HTML attributes
   *
   * @param {string} tag HTML tag to wrap
   * @param {string | null} content content within the tag
   * @param {[attribute: string]: string} attrs key-value list of HTML attributes to add
   *
   * @returns {string} content wrapped in HTML element
   */
  wrap(tag, content, attrs = {}) {
    const htmlAttrs = Object.entries(attrs).map(([key, value]) => ` ${key}="${value}"`).join("");
    if (!content) {
      return `<${tag}${htmlAttrs}>`;
    }
    return `<${tag}${htmlAttrs}>${content}</${tag}>`;
  }
  /**
   * Writes text in the buffer to the summary buffer file and empties buffer. Will append by default.
   *
   * @param {SummaryWriteOptions} [options] (optional) options for write operation
   *
   * @returns {Promise<Summary>} summary instance
   */
  write(options) {
    return __awaiter(this, void 0, void 0, function* () {
      const overwrite = !!(options === null || options === void 0 ? void 0 : options.overwrite);
      const filePath = yield this.filePath();
      const writeFunc = overwrite ? writeFile : appendFile;
      yield writeFunc(filePath, this._buffer, { encoding: "utf8" });
      return this.emptyBuffer();
    });
  }
  /**
   * Clears the summary buffer and wipes the summary file
   *
   * @returns {Summary} summary instance
   */
  clear() {
    return __awaiter(this, void 0, void 0, function* () {
      return this.emptyBuffer().write({ overwrite: true });
    });
  }
  /**
   * Returns the current summary buffer as a string
   *
   * @returns {string} string of summary buffer
   */
  stringify() {
    return this._buffer;
  }
  /**
   * If the summary buffer is empty
   *
   * @returns {boolen} true if the buffer is empty
   */
  isEmptyBuffer() {
    return this._buffer.length === 0;
  }
  /**
   * Resets the summary buffer without writing to summary file
   *
   * @returns {Summary} summary instance
   */
  emptyBuffer() {
    this._buffer = "";
    return this;
  }
  /**
   * Adds raw text to the summary buffer
   *
   * @param {string} text content to add
   * @param {boolean} [addEOL=false] (optional) append an EOL to the raw text (default: false)
   *
   * @returns {Summary} summary instance
   */
  addRaw(text, addEOL = false) {
    this._buffer += text;
    return addEOL ? this.addEOL() : this;
  }
  /**
   * Adds the operating system-specific end-of-line marker to the buffer
   *
   * @returns {Summary} summary instance
   */
  addEOL() {
    return this.addRaw(EOL3);
  }
  /**
   * Adds an HTML codeblock to the summary buffer
   *
   * @param {string} code content to render within fenced code block
   * @param {string} lang (optional) language to syntax highlight code
   *
   * @returns {Summary} summary instance
   */
  addCodeBlock(code, lang) {
    const attrs = Object.assign({}, lang && { lang });
    const element = this.wrap("pre", this.wrap("code", code), attrs);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML list to the summary buffer
   *
   * @param {string[]} items list of items to render
   * @param {boolean} [ordered=false] (optional) if the rendered list should be ordered or not (default: false)
   *
   * @returns {Summary} summary instance
   */
  addList(items, ordered = false) {
    const tag = ordered ? "ol" : "ul";
    const listItems = items.map((item) => this.wrap("li", item)).join("");
    const element = this.wrap(tag, listItems);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML table to the summary buffer
   *
   * @param {SummaryTableCell[]} rows table rows
   *
   * @returns {Summary} summary instance
   */
  addTable(rows) {
    const tableBody = rows.map((row) => {
      const cells = row.map((cell) => {
        if (typeof cell === "string") {
          return this.wrap("td", cell);
        }
        const { header, data, colspan, rowspan } = cell;
        const tag = header ? "th" : "td";
        const attrs = Object.assign(Object.assign({}, colspan && { colspan }), rowspan && { rowspan });
        return this.wrap(tag, data, attrs);
      }).join("");
      return this.wrap("tr", cells);
    }).join("");
    const element = this.wrap("table", tableBody);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds a collapsable HTML details element to the summary buffer
   *
   * @param {string} label text for the closed state
   * @param {string} content collapsable content
   *
   * @returns {Summary} summary instance
   */
  addDetails(label, content) {
    const element = this.wrap("details", this.wrap("summary", label) + content);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML image tag to the summary buffer
   *
   * @param {string} src path to the image you to embed
   * @param {string} alt text description of the image
   * @param {SummaryImageOptions} options (optional) addition image attributes
   *
   * @returns {Summary} summary instance
   */
  addImage(src, alt, options) {
    const { width, height } = options || {};
    const attrs = Object.assign(Object.assign({}, width && { width }), height && { height });
    const element = this.wrap("img", null, Object.assign({ src, alt }, attrs));
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML section heading element
   *
   * @param {string} text heading text
   * @param {number | string} [level=1] (optional) the heading level, default: 1
   *
   * @returns {Summary} summary instance
   */
  addHeading(text, level) {
    const tag = `h${level}`;
    const allowedTag = ["h1", "h2", "h3", "h4", "h5", "h6"].includes(tag) ? tag : "h1";
    const element = this.wrap(allowedTag, text);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML thematic break (<hr>) to the summary buffer
   *
   * @returns {Summary} summary instance
   */
  addSeparator() {
    const element = this.wrap("hr", null);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML line break (<br>) to the summary buffer
   *
   * @returns {Summary} summary instance
   */
  addBreak() {
    const element = this.wrap("br", null);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML blockquote to the summary buffer
   *
   * @param {string} text quote text
   * @param {string} cite (optional) citation url
   *
   * @returns {Summary} summary instance
   */
  addQuote(text, cite) {
    const attrs = Object.assign({}, cite && { cite });
    const element = this.wrap("blockquote", text, attrs);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML anchor tag to the summary buffer
   *
   * @param {string} text link text/content
   * @param {string} href hyperlink
   *
   * @returns {Summary} summary instance
   */
  addLink(text, href) {
    const element = this.wrap("a", text, { href });
    return this.addRaw(element).addEOL();
  }
};
var _summary = new Summary();

// node_modules/@actions/core/lib/core.js
var ExitCode;
(function(ExitCode2) {
  ExitCode2[ExitCode2["Success"] = 0] = "Success";
  ExitCode2[ExitCode2["Failure"] = 1] = "Failure";
})(ExitCode || (ExitCode = {}));
function exportVariable(name, val) {
  const convertedVal = toCommandValue(val);
  process.env[name] = convertedVal;
  const filePath = process.env["GITHUB_ENV"] || "";
  if (filePath) {
    return issueFileCommand("ENV", prepareKeyValueMessage(name, val));
  }
  issueCommand("set-env", { name }, convertedVal);
}
function setSecret(secret) {
  issueCommand("add-mask", {}, secret);
}
function getInput(name, options) {
  const val = process.env[`INPUT_${name.replace(/ /g, "_").toUpperCase()}`] || "";
  if (options && options.required && !val) {
    throw new Error(`Input required and not supplied: ${name}`);
  }
  if (options && options.trimWhitespace === false) {
    return val;
  }
  return val.trim();
}
function setOutput(name, value) {
  const filePath = process.env["GITHUB_OUTPUT"] || "";
  if (filePath) {
    return issueFileCommand("OUTPUT", prepareKeyValueMessage(name, value));
  }
  process.stdout.write(os3.EOL);
  issueCommand("set-output", { name }, toCommandValue(value));
}
function setFailed(message) {
  process.exitCode = ExitCode.Failure;
  error(message);
}
function error(message, properties = {}) {
  issueCommand("error", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function warning(message, properties = {}) {
  issueCommand("warning", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function info(message) {
  process.stdout.write(message + os3.EOL);
}

// clients/github-action/src/run.ts
import http from "node:http";

// lib/contracts/fields/dangerous-names.ts
var words = (text) => text.trim().split(/\s+/);
var dangerousNames = [
  {
    why: "decides which program or library is loaded",
    patterns: words(`PATH LD_* DYLD_* GCONV_PATH GETCONF_DIR LOCPATH NLSPATH MALLOC_TRACE LIBPATH SHLIB_PATH
      GLIBC_TUNABLES OPENSSL_* TERMINFO* TERMCAP LTDL_LIBRARY_PATH GIO_EXTRA_MODULES GIO_MODULE_DIR GTK*_MODULES
      GTK*_PATH GST_PLUGIN_* QT_*PLUGIN_PATH QML*_IMPORT_PATH SDL*_DYNAMIC_API LIBGL_DRIVERS_PATH LIBVA_DRIVERS_PATH
      VDPAU_DRIVER_PATH GBM_BACKENDS_PATH VK_*PATH VK_*FILE* OCL_ICD_* CUDA_INJECTION* HDF5_PLUGIN_PATH GDAL_DRIVER_PATH
      MAGICK_*PATH SASL_PATH SASL_CONF_PATH GSS_MECH_CONFIG PKCS11_MODULE_PATH SOFTHSM2_CONF OPENSC_CONF ODBC*INI
      LIBMYSQL_PLUGIN* ORACLE_HOME ORACLE_PATH SQLPATH TNS_ADMIN GDK_PIXBUF_MODULE* GTK_IM_MODULE_FILE GI_TYPELIB_PATH
      ALSA_CONFIG* LADSPA_PATH FREI0R_PATH *_PLUGIN_PATH *_PLUGIN_DIR *_PLUGINS_DIR OMP_TOOL* OMPI_* PMIX_MCA_*
      PRTE_MCA_* NCCL_*PLUGIN* NCCL_CONF_FILE UCX_MODULE_DIR VALGRIND_LIB VALGRIND_OPTS *SAN_OPTIONS *_SYMBOLIZER_PATH
      TPM2*TCTI* TPM2_PKCS11_* TSS2_* RPM_CONFIGDIR *EXECUTABLE_PATH`)
  },
  {
    why: "makes a shell run code",
    patterns: words(`BASH_ENV BASH_FUNC_* BASH_LOADABLES_PATH BASH_XTRACEFD ENV SHELLOPTS BASHOPTS PROMPT_COMMAND PS0
      PS1 PS2 PS4 IFS CDPATH GLOBIGNORE EXECIGNORE SHELL ZDOTDIR FPATH NULLCMD READNULLCMD FCEDIT INPUTRC fish_*
      __fish_* PSModulePath __PSLockdownPolicy XONSH* NU_LIB_DIRS NU_PLUGIN_DIRS SCREENRC`)
  },
  {
    why: "makes an interpreter run code",
    patterns: words(`PERL5* PERLLIB PERLIO_DEBUG PERL_MM_OPT PERL_MB_OPT PERL_CPANM_OPT RUBYOPT RUBYLIB RUBYSHELL
      RUBYPATH RUBYGEMS_GEMDEPS RUBY_DEBUG_* GEMRC GEM_HOME GEM_PATH BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_BIN
      BUNDLE_APP_CONFIG BUNDLE_USER_* BUNDLE_CONFIG BUNDLE_PLUGINS BUNDLE_SSL_* BUNDLE_MIRROR__* BUNDLE_LOCAL__*
      BUNDLE_BUILD__* BUNDLER_* BOOTSNAP_CACHE_DIR RAKEOPT IRBRC PRYRC THOR_DIFF THOR_MERGE SPRING_SERVER_COMMAND
      RBENV_* rvm_* NODE_OPTIONS NODE_PATH NODE_CONFIG_DIR NODE_CONFIG_PARSER NEW_RELIC_HOME NEW_RELIC_CONFIG_FILE
      NODE_REPL_EXTERNAL_MODULE NODE_COMPILE_CACHE NODE_V8_COVERAGE NODE_REDIRECT_WARNINGS NODE_ICU_DATA
      NAPI_RS_NATIVE_LIBRARY_PATH ESBUILD_BINARY_PATH PRISMA_*_BINARY PRISMA_*_LIBRARY CYPRESS_*_BINARY CHROME_BIN
      CHROME_PATH VSCODE_INSPECTOR_OPTIONS BUN_OPTIONS BUN_CONFIG_* BUN_INSTALL* DENO_CERT DENO_DIR DENO_TLS_* TS_NODE_*
      TSX_* ELECTRON_* SASS_BINARY_* SWC_BINARY_PATH PHPRC PHP_INI_SCAN_DIR PHP_VALUE PHP_ADMIN_VALUE XDEBUG_* COMPOSER
      COMPOSER_HOME COMPOSER_*_DIR WP_CLI_* DRUSH_* PERL_LOCAL_LIB_ROOT PERL_CARTON_* PERLDB_OPTS PERLBREW_* LUA_INIT*
      LUA_PATH* LUA_CPATH* LUAROCKS_CONFIG AWKPATH AWKLIBPATH TCLLIBPATH TCL_LIBRARY TK_LIBRARY R_HOME R_PROFILE*
      R_ENVIRON* R_LIBS* R_*CMD R_PDFVIEWER R_TESTS R_DEFAULT_PACKAGES RETICULATE_PYTHON* JULIA_* OCAMLPATH
      OCAMLRUNPARAM CAML_LD_LIBRARY_PATH GUILE_LOAD* ERL_*FLAGS ERL_LIBS ERL_INETRC ERL_ROOTDIR *ERL_ARGS
      RELEASE_*VM_ARGS RELEASE_BOOT_SCRIPT* RELEASE_SYS_CONFIG RELEASE_ROOT RABBITMQ_CONF_ENV_FILE ELIXIR_ERL_OPTIONS
      MIX_HOME MIX_ARCHIVES MIX_EXS GHCRTS GHC_PACKAGE_PATH DART_VM_OPTIONS SBCL_HOME`)
  },
  {
    why: "makes Python run code or trust other parties",
    patterns: words(`PYTHON* _PYTHON_* PYTEST_ADDOPTS PYTEST_PLUGINS PYENV_* VIRTUAL_ENV CONDARC CONDA_* IPYTHONDIR
      JUPYTER_*PATH JUPYTER_*DIR MPLBACKEND MPLCONFIGDIR MATPLOTLIBRC COVERAGE_PROCESS_START COVERAGE_RCFILE PYDEVD_*
      TOX_* INVOKE_RUN_* INVOKE_TASKS_* INVOKE_SUDO_* FLASK_APP FLASK_ENV_FILE WERKZEUG_DEBUG_PIN UVICORN_*
      GUNICORN_CMD_ARGS CELERY_LOADER CELERY_CONFIG_MODULE HF_ENDPOINT HF_MODULES_CACHE`),
    except: words(`PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8 PYTHONIOENCODING
      PYTHONFAULTHANDLER UVICORN_HOST UVICORN_PORT UVICORN_WORKERS UVICORN_RELOAD UVICORN_LOG_LEVEL UVICORN_ROOT_PATH`)
  },
  {
    why: "makes a Java program run code",
    patterns: words(`JAVA_TOOL_OPTIONS *JAVA_OPT* *JVM_OPT* JDK_JAVAC_OPTIONS JAVACMD JAVA_HOME JDK_HOME JRE_HOME
      *CLASSPATH *JVMFLAGS JVM_ARGS MAVEN_OPTS MAVEN_ARGS MAVEN_CONFIG MAVEN_HOME M2_HOME GRADLE_OPTS GRADLE_HOME
      GRADLE_USER_HOME ANT_OPTS ANT_HOME SBT_OPTS CATALINA_OPTS CATALINA_HOME CATALINA_BASE JRUBY_OPTS HADOOP_*OPTS
      SPARK_*OPTS ACTIVEMQ_OPTS KAFKA_*OPTS LOG4J_* SMALLRYE_CONFIG_LOCATIONS QUARKUS_CONFIG_LOCATIONS
      MICRONAUT_CONFIG_FILES SDKMAN_*`),
    except: words(`LOG4J_FORMAT_MSG_NO_LOOKUPS`)
  },
  {
    why: "makes a Spring program load other settings",
    patterns: words(`SPRING_CONFIG_* SPRING_APPLICATION_JSON SPRING_MAIN_SOURCES SPRING_CLOUD_BOOTSTRAP_*
      SPRING_CLOUD_FUNCTION_ROUTING* SPRING.CONFIG.* SPRING.APPLICATION.JSON SPRING.MAIN.SOURCES
      SPRING.CLOUD.BOOTSTRAP.* SPRING.CLOUD.FUNCTION.ROUTING* LOGGING_CONFIG LOGGING.CONFIG`),
    // It reads properties in any case, with underscores or dots.
    anyCase: true
  },
  {
    why: "makes a .NET program run code",
    patterns: words(`DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_ROOT* DOTNET_*NAME
      DOTNET_*PATH DOTNET_DiagnosticPorts DOTNET_HOST_* DOTNET_BUNDLE_EXTRACT_BASE_DIR COMPlus_* CORECLR_* COR_*
      ASPNETCORE_HOSTINGSTARTUP* MSBUILD* NUGET_PACKAGES NUGET_*PLUGIN*`),
    // The runtime reads its settings in any case.
    anyCase: true
  },
  {
    why: "names a command that another program runs",
    patterns: words(`GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_ASKPASS GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER
      GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG* GIT_DIR GIT_COMMON_DIR
      GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_TRACE* GIT_ALLOW_PROTOCOL
      GIT_ATTR_* HG HGEDITOR HGMERGE HGRCPATH SVN_SSH SVN_MERGE BZR_SSH BZR_PLUGIN_PATH SSH_ASKPASS* *_ASKPASS SSH_SK_*
      SSH_PKCS11_HELPER SSH_AUTH_SOCK EDITOR VISUAL *EDITOR VIMINIT GVIMINIT EXINIT VIMRUNTIME VIM MYVIMRC EMACSLOADPATH
      PAGER *PAGER BROWSER *_BROWSER WWWBROWSER LESS LESSOPEN LESSCLOSE LESSKEY* MORE PSQLRC RSH *_RSH
      RSYNC_CONNECT_PROG CVS_SERVER TAR_OPTIONS RIPGREP_CONFIG_PATH FZF_*_OPTS FZF_*_OPTS_FILE FZF_*_COMMAND PARALLEL
      PARALLEL_* KUBECTL_EXTERNAL_DIFF CLOUDSDK_PYTHON* GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES
      AWS_LAMBDA_EXEC_WRAPPER AWS_LAMBDA_RUNTIME_API LAMBDA_TASK_ROOT LAMBDA_RUNTIME_DIR _HANDLER languageWorkers*
      GIT_DIFFTOOL* TIGRC_* BAT_CONFIG_* DIRENV_* NNN_* PINENTRY_PROGRAM *PASSCOMMAND *PASSWORD_COMMAND *PASSWORD_CMD
      *PASSPHRASE_COMMAND *PASSPHRASE_CMD *PASS_COMMAND *PASS_CMD *TOKEN_COMMAND *TOKEN_CMD *_KEY_COMMAND *_KEY_CMD
      *SECRET_COMMAND *SECRET_CMD *CREDENTIAL_COMMAND *CREDENTIALS_COMMAND *CREDENTIAL_PROCESS *CREDENTIAL_HELPER
      *AUTH_PROVIDER_CMD *SSH_COMMAND *PROXY_COMMAND *SSH_ARGS *SSH_OPTS *SSHOPTS *SSH_OPTIONS *RSH_AGENT *_GPG_EXEC
      *_SERVER_COMMAND BORG_REMOTE_PATH BORG_*_DIR RCLONE_CONFIG RCLONE_*_SSH RCLONE_METADATA_MAPPER WALG_*_COMMAND
      PGBACKREST_* PASSWORD_STORE_* P4DIFF P4MERGE P4PORT P4CONFIG P4ENVIRO P4LOGINSSO P4ALIASES MAILRC NAILRC TASKRC
      AUTOSSH_* PDSH_* HYDRA_LAUNCHER* HYDRA_BOOTSTRAP* I_MPI_HYDRA_* SLURM_CONF SLURM_*PROLOG SLURM_*EPILOG
      VAULT_CONFIG_PATH ZIPOPT UNZIPOPT GS_OPTIONS GS_LIB GROFF_*PATH GROFF_COMMAND_PREFIX MANOPT MANROFFOPT TEXMF*
      shell_escape* openout_any`),
    except: words(`TF_VAR_* PGBACKREST_REPO*_KEY PGBACKREST_REPO*_KEY_SECRET PGBACKREST_REPO*_CIPHER_PASS
      PGBACKREST_REPO*_TOKEN PGBACKREST_REPO*_BUCKET PGBACKREST_STANZA`)
  },
  {
    why: "decides what a compiler or a build runs",
    patterns: words(`MAKE MAKEFLAGS MAKEFILES MAKEFILE MAKEINFO MAKE_COMMAND MAKESHELL GNUMAKEFLAGS MFLAGS SHELLFLAGS
      CONFIG_SITE CONFIG_SHELL CC CXX CPP LD AR AS FC F77 F90 M2C PC CO GET LEX FLEX YACC BISON LINT TEX TEXI2DVI WEAVE
      CWEAVE TANGLE CTANGLE RM AWK SED GREP EGREP FGREP M4 PERL RUBY INSTALL RANLIB NM STRIP OBJC OBJCXX OBJCOPY OBJDUMP
      CCLD HOSTCC HOSTCXX HOST_CC HOST_CXX TARGET_CC TARGET_CXX CROSS_COMPILE LIBTOOL* AUTOCONF AUTOHEADER AUTOMAKE
      AUTOM4TE ACLOCAL* GPERF NVCC HIPCC SWIFT_EXEC DEVELOPER_DIR SDKROOT TOOLCHAINS COMPILE.* LINK.* LEX.* YACC.*
      LINT.* PREPROCESS.* ARFLAGS ASFLAGS COFLAGS FFLAGS FCFLAGS GFLAGS LFLAGS LINTFLAGS PFLAGS RFLAGS YFLAGS LDLIBS
      LOADLIBES OUTPUT_OPTION TARGET_ARCH TARGET_MACH CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH ICECC* ZIG_*
      BAZEL_SH BAZELISK_* USE_BAZEL_* APT_CONFIG HOMEBREW_* BUILDX_* CPLUS_INCLUDE_PATH LIBRARY_PATH COMPILER_PATH
      GCC_EXEC_PREFIX COLLECT_* CCACHE_* SCCACHE_* DISTCC_* CMAKE_* PKG_CONFIG* RUSTC RUSTC_* RUSTDOC RUSTDOCFLAGS
      RUSTFLAGS RUSTUP_* CARGO CARGO_* GOFLAGS GOENV GOROOT GOPATH GOBIN GOTOOLCHAIN GOTOOLDIR GOWORK GOCACHE
      GOCACHEPROG GOMODCACHE GOAUTH GOVCS CGO_* GCCGO NIX_* CABAL_* STACK_ROOT TF_CLI_* TF_PLUGIN_*
      TF_REATTACH_PROVIDERS TF_DATA_DIR TF_ENCRYPTION TFENV_* TG_TF_PATH TG_SOURCE* TG_CONFIG TG_DOWNLOAD_DIR
      TERRAGRUNT_* PACKER_CONFIG PACKER_PLUGIN_PATH PULUMI_*_CMD PULUMI_HOME PULUMI_API PULUMI_RUNTIME_* COMPOSE_FILE
      COMPOSE_ENV_FILES HELM_PLUGINS HELM_BIN HELM_*_HOME HELM_*_CONFIG HELM_REPOSITORY_* HELM_KUBEAPISERVER
      HELM_KUBECAFILE HELM_KUBEINSECURE* HELM_SECRETS_* HELMFILE_* KUSTOMIZE_PLUGIN_HOME ANSIBLE_*`),
    except: words(`CARGO_REGISTRY_TOKEN CARGO_REGISTRIES_*_TOKEN BAZELISK_GITHUB_TOKEN HOMEBREW_GITHUB_API_TOKEN
      ANSIBLE_*PASSWORD ANSIBLE_*PASS ANSIBLE_*USER ANSIBLE_*USERNAME ANSIBLE_*TOKEN ANSIBLE_FORCE_COLOR
      ANSIBLE_NOCOLOR`)
  },
  {
    why: "is a setting of npm or another package manager",
    patterns: words(`npm_config_* npm_execpath npm_node_execpath pnpm_config_* PNPM_HOME YARN_* PIP_* PIPENV_*
      POETRY_REPOSITORIES_* POETRY_VIRTUALENVS_* POETRY_HOME POETRY_*_DIR PDM_* UV_* COREPACK_* FNM_* N_PREFIX NODENV_*
      JENV_* VOLTA_* NVM_* MISE_* ASDF_*`),
    except: words(`YARN_NPM_AUTH_TOKEN YARN_NPM_AUTH_IDENT UV_THREADPOOL_SIZE UV_PUBLISH_TOKEN UV_PUBLISH_USERNAME
      UV_PUBLISH_PASSWORD UV_INDEX_*_USERNAME UV_INDEX_*_PASSWORD UV_COMPILE_BYTECODE UV_LINK_MODE UV_HTTP_TIMEOUT`),
    anyCase: true
  },
  {
    why: "decides where programs look for their own settings",
    patterns: words(`HOME XDG_* TMPDIR TMP TEMP TZDIR GNUPGHOME AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE
      AWS_DATA_PATH BOTO_CONFIG AZURE_CONFIG_DIR AZURE_EXTENSION_DIR CLOUDSDK_CONFIG KUBECONFIG KUBERC DOCKER_CONFIG
      CONTAINERS_* REGISTRY_AUTH_FILE TERRAFORM_CONFIG GH_CONFIG_DIR CURL_HOME WGETRC SYSTEM_WGETRC NETRC MYSQL_HOME
      PGSYSCONFDIR PGSERVICEFILE LDAPCONF LDAPRC`)
  },
  {
    why: "decides what Windows runs and where programs look for their own settings",
    patterns: words(`COMSPEC PATHEXT SYSTEMROOT SYSTEMDRIVE WINDIR USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA
      PROGRAMFILES* ALLUSERSPROFILE HOMEDRIVE HOMEPATH __COMPAT_LAYER`),
    anyCase: true
  },
  {
    why: "redirects a program’s traffic",
    patterns: words(`*_PROXY NODE_USE_ENV_PROXY AWS_ENDPOINT_URL* AWS_EC2_METADATA_* AWS_CONTAINER_* GCE_METADATA_*
      IDENTITY_ENDPOINT MSI_ENDPOINT KUBERNETES_MASTER KUBERNETES_SERVICE_* CLOUDSDK_API_ENDPOINT* AZURE_AUTHORITY_HOST
      DOCKER_HOST DOCKER_CONTEXT CONTAINER_HOST BUILDKIT_HOST DBUS_*_BUS_ADDRESS`),
    // Input variables of Terraform, whatever they are called.
    except: ["TF_VAR_*"],
    anyCase: true
  },
  {
    why: "decides whom a program trusts",
    patterns: words(`SSL_CERT_* SSLKEYLOGFILE NODE_TLS_REJECT_UNAUTHORIZED NODE_EXTRA_CA_CERTS CURL_CA_BUNDLE
      CURL_SSL_BACKEND REQUESTS_CA_BUNDLE AWS_CA_BUNDLE DOCKER_CERT_PATH DOCKER_TLS* GIT_SSL_*
      GRPC_DEFAULT_SSL_ROOTS_FILE_PATH GNUTLS_* LDAPTLS_* PERL_LWP_SSL_* KUBERNETES_TRUST_CERTIFICATES
      CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE GODEBUG GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GONOSUMCHECK GOSUMDB GOINSECURE
      HOSTALIASES LOCALDOMAIN RES_OPTIONS RESOLV_* NIS_PATH KRB5_* KRB5CCNAME`)
  },
  { why: "is a setting of holdfast itself", patterns: ["HOLDFAST_*"] }
];

// lib/contracts/fields/refuse-dangerous.ts
var isWindows = process.platform === "win32";
function whyDangerous(name, { ignoresCase = isWindows } = {}) {
  const lists = compiled.get(ignoresCase) ?? compile(ignoresCase);
  compiled.set(ignoresCase, lists);
  return lists.find(({ matches, except }) => matches(name) && !except(name))?.why;
}
function refuseDangerous(names, { allowed, option }, rules = {}) {
  const allowedNames = new Set(allowed);
  return names.flatMap((key) => {
    const why = allowedNames.has(key) ? void 0 : whyDangerous(key, rules);
    if (why === void 0) return [];
    return [{ key, reason: option === void 0 ? why : `${why}; to pass it anyway: ${option(key)}` }];
  });
}
var compiled = /* @__PURE__ */ new Map();
function compile(ignoresCase) {
  return dangerousNames.map(({ why, patterns, except = [], anyCase = false }) => ({
    why,
    matches: matcher(patterns, anyCase || ignoresCase),
    except: matcher(except, anyCase || ignoresCase)
  }));
}
function matcher(patterns, ignoresCase) {
  const fold = (name) => ignoresCase ? name.toUpperCase() : name;
  const names = new Set(patterns.filter((pattern) => !pattern.includes("*")).map(fold));
  const globs = patterns.filter((pattern) => pattern.includes("*")).map((pattern) => fold(pattern).split("*"));
  return (name) => {
    const folded = fold(name);
    return names.has(folded) || globs.some((parts) => isMadeOf(folded, parts));
  };
}
function isMadeOf(name, parts) {
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let end = first.length;
  for (const part of parts.slice(1, -1)) {
    const start = name.indexOf(part, end);
    if (start === -1) return false;
    end = start + part.length;
  }
  return end + last.length <= name.length;
}

// lib/contracts/fields/formats/format.ts
function refusalsOf(format, entries, allowance = { allowed: [] }) {
  const { isData = false, ignoresCase } = format;
  const single = entries.flatMap(([key, value]) => {
    const reason = format.refuses(key, value);
    if (reason !== void 0) return [{ key, reason }];
    return isData ? [] : refuseDangerous([key], allowance, ignoresCase && { ignoresCase });
  });
  return [...single, ...format.refusesTogether?.(entries) ?? []];
}
var lines = (line) => (entries) => entries.map(([key, value]) => `${line(key, value)}
`).join("");
var isName = (key) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key);
var isBare = (value) => /^[A-Za-z0-9_./:@%+,-]*$/.test(value);
var noncharacter = new RegExp("\\p{Noncharacter_Code_Point}", "u");
var nul = "contains a NUL character, which no environment variable can";
var notAName = "is not a variable name: use letters, digits and _";
var droppedByReader = "is dropped by the reader, which mistakes it for the prototype of an object";

// lib/contracts/fields/formats/documents.ts
var json = {
  isData: true,
  refuses: () => void 0,
  write: (entries) => `{${entries.map(([key, value]) => `
  ${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(",")}
}
`
};
var reserved = new Set("_ source version providers count for_each lifecycle depends_on locals".split(" "));
var tfvars = {
  isData: true,
  refuses: (key, value) => {
    if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return "is not a Terraform variable name: it has a dot";
    if (reserved.has(key)) return "is a reserved name in Terraform";
    if (value !== value.normalize("NFC")) return "is not in Unicode’s normalization form C";
    return void 0;
  },
  write: (entries, source) => json.write(entries, source).replace(/[\u0080-\uffff]/g, escaped)
};
var escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
var yaml = {
  isData: true,
  refuses: () => void 0,
  write: (entries) => {
    const mapping = lines((key, value) => `${quotedForYaml(key)}: ${quotedForYaml(value)}`)(entries);
    return mapping === "" ? "{}\n" : mapping;
  }
};
function quotedForYaml(text) {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
}
var longestKey = 253;
var mostDataBytes = 1048576;
var kubernetes = {
  refuses: (key) => key.length > longestKey ? `has a name of more than ${longestKey} characters` : void 0,
  refusesTogether: (entries) => {
    let bytes = 0;
    for (const [index, [key, value]] of entries.entries()) {
      bytes += Buffer.byteLength(value);
      if (bytes <= mostDataBytes) continue;
      return [{ key, reason: `and ${entries.length - index - 1} more keys exceed the 1 MiB that a Secret holds` }];
    }
    return [];
  },
  write: (entries, { project, environment }) => [
    "apiVersion: v1",
    "kind: Secret",
    "metadata:",
    `  name: "${project}.${environment}"`,
    "type: Opaque",
    entries.length === 0 ? "data: {}" : "data:",
    ...entries.map(([key, value]) => `  "${key}": "${Buffer.from(value).toString("base64")}"`),
    ""
  ].join("\n")
};

// lib/contracts/fields/formats/shells.ts
var shellVariables = new Set(
  `_ ARGC BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_CMDS BASH_COMMAND BASH_LINENO BASH_SOURCE BASH_SUBSHELL
  BASH_VERSINFO COLUMNS DIRSTACK EGID EPOCHREALTIME EPOCHSECONDS ERRNO EUID FUNCNAME FUNCNEST GID GROUPS HISTCHARS HISTCMD
  HISTSIZE KEYBOARD_HACK KEYTIMEOUT LINENO LINES LISTMAX MAILCHECK OPTIND PPID RANDOM SAVEHIST SECONDS SHELLOPTS SHLVL
  SRANDOM TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE UID USERNAME WATCH ZSH_EVAL_CONTEXT ZSH_SUBSHELL aliases argv builtins
  cdpath commands dirstack dis_aliases dis_builtins dis_functions dis_functions_source dis_galiases dis_patchars
  dis_reswords dis_saliases fignore fpath funcfiletrace funcsourcetrace funcstack functions functions_source functrace
  galiases histchars history historywords jobdirs jobstates jobtexts keymaps mailpath manpath module_path modules nameddirs
  options parameters patchars path pipestatus psvar reswords saliases signals status termcap terminfo userdirs usergroups
  watch widgets zsh_eval_context zsh_scheduled_events`.split(/\s+/)
);
var setByShell = "is a variable that shells set themselves";
var sh = {
  refuses: (key, value) => {
    if (!isName(key)) return notAName;
    if (shellVariables.has(key)) return setByShell;
    return value.includes("\0") ? nul : void 0;
  },
  write: lines((key, value) => `export ${key}='${value.replaceAll("'", "'\\''")}'`)
};
var fishVariables = new Set(
  `_ CDPATH FISH_VERSION PATH PWD SHLVL fish_kill_signal fish_killring fish_pid history hostname pipestatus status
  status_generation umask version`.split(/\s+/)
);
var fish = {
  refuses: (key, value) => {
    if (!isName(key)) return notAName;
    if (fishVariables.has(key)) return setByShell;
    return value.includes("\0") ? nul : void 0;
  },
  write: lines((key, value) => `set -gx ${key} '${value.replace(/[\\']/g, "\\$&")}'`)
};
var powershell = {
  ignoresCase: true,
  refuses: (_, value) => {
    if (value.includes("\0")) return nul;
    if (value === "") return "is empty, and PowerShell before 7.5 removes such a variable";
    return void 0;
  },
  refusesTogether: (entries) => {
    const first = /* @__PURE__ */ new Map();
    return entries.flatMap(([key]) => {
      const other = first.get(key.toLowerCase());
      first.set(key.toLowerCase(), key);
      return other === void 0 ? [] : [{ key, reason: `differs from ${other} only in case` }];
    });
  },
  write: lines((key, value) => `\${env:${key}} = ${expressionOf(value)}`)
};
function expressionOf(value) {
  if (/^[ -~]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return `[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${Buffer.from(value).toString("base64")}'))`;
}

// lib/contracts/fields/formats/dotenv-files.ts
var env = {
  refuses: (key, value) => {
    if (!isName(key)) return notAName;
    if (key === "__proto__") return droppedByReader;
    if (shellVariables.has(key)) return setByShell;
    if (value.includes("\0")) return nul;
    if (value.includes("\r")) return "contains a carriage return";
    if (noncharacter.test(value)) return "contains a Unicode noncharacter";
    if (quotedForAll(value) === void 0) return "mixes quotes with characters that readers interpret differently";
    return void 0;
  },
  write: lines((key, value) => `${key}=${quotedForAll(value)}`)
};
function quotedForAll(value) {
  if (isBare(value)) return value;
  if (!/['\n\\]|\$\{/.test(value)) return `'${value}'`;
  if (!/["\\$`]/.test(value)) return `"${value}"`;
  return void 0;
}
var dotenv = {
  refuses: (key, value) => {
    if (key === "__proto__") return droppedByReader;
    if (value.includes("\0")) return nul;
    const mixture = "mixes quotes, backslashes and line breaks in a way that dotenv cannot represent";
    return quotedForDotenv(value) === void 0 ? mixture : void 0;
  },
  write: lines((key, value) => `${key}=${quotedForDotenv(value)}`)
};
function quotedForDotenv(value) {
  if (isBare(value)) return value;
  if (!/['\r]|\\$/.test(value)) return `'${value}'`;
  if (!/"|\\[nr]|\\$/.test(value)) return `"${withEscapedBreaks(value)}"`;
  return /[`\r]|\\$/.test(value) ? void 0 : `\`${value}\``;
}
var withEscapedBreaks = (text) => text.replaceAll("\r", "\\r").replaceAll("\n", "\\n");
var node = {
  ...dotenv,
  refuses: (key, value) => value.includes("\r") ? "contains a carriage return" : dotenv.refuses(key, value)
};
var pythonDotenv = {
  refuses: (_, value) => value.includes("\0") ? nul : void 0,
  write: lines((key, value) => `${key}=${quotedForPython(value)}`)
};
function quotedForPython(value) {
  if (isBare(value)) return value;
  const quote = value.includes("\r") ? '"' : "'";
  const escaped2 = value.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
  const inLines = quote === '"' ? withEscapedBreaks(escaped2) : escaped2;
  const literal = inLines.replaceAll("${", `${yields("$")}{`).replace(/\\\\$/, () => yields("\\\\"));
  return `${quote}${literal}${quote}`;
}
var yields = (text) => `\${:-${text}}`;
var longestLineBytes = 65535;
var docker = {
  refuses: (key, value) => {
    if (value.includes("\0")) return nul;
    if (value.includes("\n")) return "contains a line break";
    if (value.endsWith("\r")) return "ends with a carriage return";
    const isTooLong = Buffer.byteLength(`${key}=${value}`) > longestLineBytes;
    return isTooLong ? `makes a line of more than ${longestLineBytes} bytes` : void 0;
  },
  write: lines((key, value) => `${key}=${value}`)
};
var compose = {
  refuses: (_, value) => value.includes("\0") ? nul : void 0,
  write: lines((key, value) => `${key}=${quotedForCompose(value)}`)
};
function quotedForCompose(value) {
  if (isBare(value)) return value;
  return value.includes("\\") ? `"${value.replace(/[\\"$]/g, "\\$&")}"` : `'${value.replaceAll("'", "\\'")}'`;
}
var systemd = {
  refuses: (key, value) => {
    if (!isName(key)) return notAName;
    if (value.includes("\0")) return nul;
    return noncharacter.test(value) ? "contains a Unicode noncharacter" : void 0;
  },
  write: lines((key, value) => `${key}="${value.replace(/[\\"$`]/g, "\\$&")}"`)
};

// lib/contracts/fields/formats/github.ts
var github = {
  refuses: (key, value) => {
    if (value.includes("\0")) return nul;
    if (/^NODE_OPTIONS$/i.test(key)) return "is rejected by the runner";
    if (/^(?:ACTIONS|GITHUB|RUNNER)_/.test(key)) return "is a name that the runner sets itself";
    return void 0;
  },
  write: lines((key, value) => {
    const delimiter = `ghadelimiter_${crypto.randomUUID()}`;
    return `${key}<<${delimiter}
${value}
${delimiter}`;
  }),
  aside: (entries) => entries.flatMap(([, value]) => value.split(/[\r\n]+/)).filter((line) => line.trim() !== "").map((line) => `::add-mask::${line.replaceAll("%", "%25")}
`).join("")
};

// lib/contracts/fields/formats/formats.ts
var formats = {
  env,
  dotenv,
  node,
  "python-dotenv": pythonDotenv,
  docker,
  compose,
  sh,
  fish,
  powershell,
  json,
  yaml,
  k8s: kubernetes,
  github,
  tfvars,
  systemd
};

// clients/github-action/src/inputs.ts
var fileFormats = Object.keys(formats).filter((name) => name !== "github");
function readInputs() {
  const keys = keysIn("keys");
  return {
    url: addressOf(required("url")),
    organization: required("organization"),
    project: required("project"),
    environment: required("environment"),
    layers: layersIn("layers"),
    identity: required("identity"),
    keys: keys.length === 0 ? void 0 : [...new Set(keys)],
    allowed: keysIn("allow-name"),
    exportsEnv: isTrue("export-env", getInput("export-env") || "true"),
    file: fileOf(getInput("output-file"), getInput("format")),
    mask: maskModeOf(getInput("mask") || "auto"),
    waitMs: millisecondsOf("wait", getInput("wait") || "2m")
  };
}
function required(name) {
  const value = getInput(name);
  if (value === "") throw new Error(`The input ${name} is missing.`);
  return value;
}
function keysIn(name) {
  return getInput(name).split(/[\s,]+/).filter((key) => key !== "");
}
function layersIn(name) {
  const layers = keysIn(name);
  if (layers.every((layer) => layer.split("/").filter((part) => part !== "").length === 2)) return layers;
  throw new Error(`The input ${name} must name each environment as project/environment.`);
}
function addressOf(text) {
  const url = URL.canParse(text) ? new URL(text) : void 0;
  const isLocal = url?.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  if (url?.protocol === "https:" || isLocal) return text;
  throw new Error("The input url must be an address that begins with https://.");
}
function isTrue(name, text) {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  throw new Error(`The input ${name} must be true or false.`);
}
function maskModeOf(text) {
  if (text === "auto" || text === "all") return text;
  throw new Error("The input mask must be auto or all.");
}
function millisecondsOf(name, text) {
  const [, count, unit = ""] = /^(\d{1,6})([smh]?)$/.exec(text) ?? [];
  const ms = Number(count) * 1e3 * ({ m: 60, h: 3600 }[unit] ?? 1);
  if (ms <= 864e5) return ms;
  throw new Error(`The input ${name} must be a time up to a day: seconds, or such as 90s, 2m or 1h.`);
}
function fileOf(path2, format) {
  if (format !== "" && !fileFormats.includes(format)) {
    throw new Error(`The input format must be one of ${fileFormats.join(", ")}.`);
  }
  if (path2 !== "") return { path: path2, format: format || "env" };
  if (format === "") return void 0;
  throw new Error("The input format is for a file: set output-file as well.");
}

// clients/github-action/src/masks.ts
var shortest = 4;
var alwaysFrom = 8;
var enoughBits = 23;
function masksOf(value, mode) {
  const lines2 = value.split(/[\r\n]+/);
  const trimmed = lines2.map((line) => line.trim());
  if (mode === "auto") return unique([...lines2, ...trimmed].filter((line) => isWorthMasking(line.trim())));
  return unique([value, ...lines2, ...trimmed]);
}
function unique(texts) {
  const inJson = texts.map((text) => JSON.stringify(text).slice(1, -1));
  return [.../* @__PURE__ */ new Set([...texts, ...inJson])].filter((text) => text.trim() !== "");
}
function isWorthMasking(text) {
  const { length } = [...text];
  if (length >= alwaysFrom) return true;
  return length >= shortest && !/^(?:\d+[A-Za-z]{1,3})+$/.test(text) && bitsOf(text) >= enoughBits;
}
function bitsOf(text) {
  const plain = text.replace(/^[A-Z](?=[a-z]+$)/, (first) => first.toLowerCase()).replaceAll(/[-_./:;,=\s"'(){}[\]<>]/g, "");
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].flatMap(
    (kind, index) => kind.test(plain) ? [26, 26, 10, 33][index] ?? 0 : []
  );
  if (kinds.length < 2 || new Set(plain).size < shortest) return 0;
  return plain.length * Math.log2(kinds.reduce((sum, size) => sum + size, 0));
}

// clients/sdk/src/latest.ts
init_errors();

// clients/sdk/src/transport.ts
init_errors();
var maxTimerMs = 2147483647;
var sdkUserAgent = "holdfast-sdk/0.1.0";
var firstPauseMs = 200;
var longestPauseMs = 5e3;
function createTransport(options) {
  const connection = connectionOf(options);
  let writes = 0;
  return {
    async send(operation) {
      try {
        return await sendWithRetries({ ...connection, ...operation.limits }, operation);
      } finally {
        if (operation.method !== "GET") writes += 1;
      }
    },
    deadline: () => deadlineOf(connection),
    writes: () => writes
  };
}
function connectionOf(options) {
  const { token, onRetry, userAgent: userAgent2 = sdkUserAgent } = options;
  const base = baseOf(options.url);
  if (typeof token === "string") checkToken(token);
  const timeoutMs = bounded("timeoutMs", options.timeoutMs ?? 3e4, 1, maxTimerMs);
  const named = globalThis.process?.versions?.node === void 0 ? {} : { "user-agent": userAgent2 };
  return {
    base,
    origin: new URL(base).origin,
    token,
    timeoutMs,
    attemptTimeoutMs: bounded("attemptTimeoutMs", options.attemptTimeoutMs ?? 1e4, 1, maxTimerMs),
    tokenTimeoutMs: bounded("tokenTimeoutMs", options.tokenTimeoutMs ?? timeoutMs, 1, maxTimerMs),
    retries: bounded("retries", options.retries ?? 3, 0, 100),
    waitMs: typeof options.waitMs === "number" ? bounded("waitMs", options.waitMs, 0, maxTimerMs) : options.waitMs,
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    onRetry,
    headers: { accept: "application/json", ...named }
  };
}
var deadlineOf = ({ timeoutMs }) => ({ at: performance.now() + timeoutMs });
async function sendWithRetries(connection, operation) {
  const { method, path: path2, signal, deadline = deadlineOf(connection) } = operation;
  const isRead = method === "GET" || operation.query?.dryRun === true;
  const message = messageOf(connection, operation);
  let mayHaveApplied = false;
  let failures = 0;
  const { waitMs } = connection;
  const budget = typeof waitMs === "number" ? { leftMs: waitMs, pausedUntil: 0 } : waitMs;
  const tokenAfter = async (rejected) => {
    const begun = performance.now();
    const token = await tokenInTime(connection, signal, rejected);
    deadline.at += performance.now() - begun;
    return token;
  };
  for (let number = 1; ; number += 1) {
    signal?.throwIfAborted();
    try {
      const token = await tokenAfter();
      try {
        return await attemptInTime(connection, { ...message, token }, signal, deadline.at);
      } catch (error2) {
        if (!(error2 instanceof HoldfastError) || error2.status !== 401) throw error2;
        const renewed = typeof connection.token === "function" ? await tokenAfter(token) : token;
        if (renewed === token) throw error2;
        return await attemptInTime(connection, { ...message, token: renewed }, signal, deadline.at);
      }
    } catch (error2) {
      if (!(error2 instanceof HoldfastError)) throw error2;
      mayHaveApplied ||= error2.outcomeUnknown && !isRead;
      error2.outcomeUnknown = mayHaveApplied;
      const mayRepeat = error2.retryable && (isRead || operation.repeatable || !mayHaveApplied);
      if (!mayRepeat) throw error2;
      let delayMs = pauseMs(number, error2.retryAfterMs);
      if (budget !== void 0 && isAskedToWait(error2)) {
        const { retryAfterMs: retryAfterMs2 = 0 } = error2;
        delayMs = takeWait(budget, retryAfterMs2, delayMs + Math.random() * retryAfterMs2 / 4);
        if (delayMs === 0) throw error2;
        deadline.at += delayMs;
      } else {
        failures += 1;
        if (failures > connection.retries || performance.now() + delayMs >= deadline.at) throw error2;
      }
      connection.onRetry?.({ method, path: path2, attempt: number + 1, delayMs, error: error2 });
      await pause(delayMs, signal);
    }
  }
}
function takeWait(budget, shortestMs, delayMs) {
  const now = performance.now();
  const countedUntil = Math.max(now, budget.pausedUntil);
  const availableMs = countedUntil - now + budget.leftMs;
  if (availableMs <= shortestMs) return 0;
  const takenMs = Math.min(availableMs, delayMs);
  budget.pausedUntil = Math.max(countedUntil, now + takenMs);
  budget.leftMs -= budget.pausedUntil - countedUntil;
  return takenMs;
}
function messageOf({ base, headers }, { method, path: path2, query, body, headers: own }) {
  const content = body === void 0 ? {} : { "content-type": "application/json" };
  return {
    url: base + path2 + queryOf(query),
    method,
    headers: { ...headers, ...content, ...own },
    body: body === void 0 ? void 0 : JSON.stringify(body)
  };
}
async function tokenInTime({ token, tokenTimeoutMs }, signal, rejected) {
  if (typeof token !== "function") return token?.trim();
  const late = () => {
    const message = `The token was not available within ${tokenTimeoutMs} ms.`;
    return new TimeoutError(message, { code: "timeout", retryable: true });
  };
  return checkToken(await inTime(async () => token(rejected), tokenTimeoutMs, signal, late));
}
function attemptInTime(connection, message, signal, deadline) {
  const limitMs4 = Math.max(0, Math.min(connection.attemptTimeoutMs, deadline - performance.now()));
  const late = () => timeoutAfter(limitMs4, connection.origin);
  return inTime((own) => attempt(connection, message, own), limitMs4, signal, late);
}
function inTime(work, limitMs4, signal, late) {
  const controller = new AbortController();
  return new Promise((resolve2, reject) => {
    signal?.throwIfAborted();
    const end = (settle) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      settle();
      controller.abort();
    };
    const abort = () => end(() => reject(signal?.reason));
    const timer = setTimeout(() => end(() => reject(late())), limitMs4);
    signal?.addEventListener("abort", abort, { once: true });
    work(controller.signal).then(
      (result) => end(() => resolve2(result)),
      (error2) => end(() => reject(error2))
    );
  });
}
async function attempt(connection, message, signal) {
  const { origin, fetch: doFetch } = connection;
  const authorization = message.token === void 0 ? {} : { authorization: `Bearer ${message.token}` };
  let response;
  let text;
  try {
    response = await doFetch(message.url, {
      method: message.method,
      headers: { ...authorization, ...message.headers },
      ...message.body === void 0 ? {} : { body: message.body },
      // Following a redirect would send the body, with its values, to an address that nobody configured.
      redirect: "manual",
      signal
    });
    text = await response.text();
  } catch (failure) {
    throw errorOfFetch(origin, failure);
  }
  const { status, headers } = response;
  if (status === 304) return { status, headers, body: void 0 };
  if (status < 200 || status > 299) throw errorOfAnswer(status, headers, text);
  return { status, headers, body: parseBody(origin, status, headers, text) };
}
var isAskedToWait = ({ status, retryAfterMs: retryAfterMs2 }) => status === 429 || retryAfterMs2 !== void 0;
function pauseMs(attempt2, retryAfterMs2 = 0) {
  return retryAfterMs2 + Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt2 - 1));
}
function pause(delayMs, signal) {
  return new Promise((resolve2, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", abort);
        resolve2();
      },
      Math.min(delayMs, maxTimerMs)
    );
    signal?.addEventListener("abort", abort, { once: true });
  });
}
function fillPath(template, parameters = {}) {
  return template.replace(/\{(\w+)\}/g, (_, name) => {
    const value = Object.hasOwn(parameters, name) ? String(parameters[name]) : "";
    if (value === "" || value === "." || value === "..") throw new TypeError(`The path needs a ${name}.`);
    return encodeURIComponent(value);
  });
}
function queryOf(query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== void 0) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}
function parseBody(origin, status, headers, text) {
  try {
    return JSON.parse(text);
  } catch {
    const facts = { status, requestId: headers.get("x-request-id") ?? void 0, outcomeUnknown: true };
    if (/^application\/json\b/.test(headers.get("content-type") ?? "")) {
      const message = `The answer from ${origin} was cut off.`;
      throw new ConnectionError(message, { ...facts, code: "connection_failed", retryable: true });
    }
    throw new GatewayError(`The answer from ${origin} is not JSON.`, { ...facts, code: "gateway_error" });
  }
}
function timeoutAfter(limitMs4, origin) {
  const message = `No answer from ${origin} within ${Math.round(limitMs4)} ms.`;
  return new TimeoutError(message, { code: "timeout", retryable: true, outcomeUnknown: true });
}
function baseOf(given) {
  const text = given.trim();
  const url = URL.canParse(text) ? new URL(text) : void 0;
  if (url === void 0 || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError("url must be an http or https address without credentials, query and fragment.");
  }
  return url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
}
function checkToken(token) {
  const trimmed = typeof token === "string" ? token.trim() : "";
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new TypeError("token must be one word of printable ASCII characters.");
  return trimmed;
}
function bounded(name, value, minimum, maximum) {
  if (value >= minimum && value <= maximum) return value;
  throw new RangeError(`${name} must be ${minimum} to ${maximum}.`);
}

// clients/sdk/src/request.ts
var repeatableWrites = /^PUT |^(?:POST|DELETE) \/v1\/secrets\/\{\w+\}\/\{\w+\}\/(?:promote|\{\w+\}\/(?:bulk|bulk-delete|changes|restore|\{\w+\}))$/;
function operationOf(method, template, options = {}) {
  const { path: path2, ifRevision, ...others } = options;
  return {
    ...others,
    method,
    path: fillPath(template, path2),
    headers: ifRevision === void 0 ? {} : { "if-match": `"${ifRevision}"` },
    repeatable: repeatableWrites.test(`${method} ${template}`)
  };
}

// clients/sdk/src/share.ts
function shareRequests() {
  const open = /* @__PURE__ */ new Map();
  function begin(id, start) {
    const controller = new AbortController();
    const request = { answer: start(controller.signal), controller, waiting: 0 };
    open.set(id, request);
    const close = () => {
      if (open.get(id) === request) open.delete(id);
    };
    request.answer.then(close, close);
    return request;
  }
  return (id, signal, start) => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const request = open.get(id) ?? begin(id, start);
    request.waiting += 1;
    return new Promise((resolve2, reject) => {
      const leave = () => {
        reject(signal?.reason);
        request.waiting -= 1;
        if (request.waiting > 0) return;
        if (open.get(id) === request) open.delete(id);
        request.controller.abort(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      const stay = () => signal?.removeEventListener("abort", leave);
      request.answer.then(
        (answer) => {
          stay();
          resolve2(answer);
        },
        (error2) => {
          stay();
          reject(error2);
        }
      );
    });
  };
}

// clients/sdk/src/latest.ts
var environmentTemplate = "/v1/secrets/{orgSlug}/{project}/{env}";
function createLatest(transport, cache, asked, contentOf) {
  operationOf("GET", environmentTemplate, asked);
  const share = shareRequests();
  let latest;
  const begin = () => ({ at: Date.now(), writes: transport.writes() });
  async function pullOnce(more, signal, deadline) {
    const begun = begin();
    const query = { ...asked.query, ...more };
    const operation = operationOf("GET", environmentTemplate, { ...asked, query, signal });
    return { ...contentOf(await transport.send({ ...operation, deadline })), ...begun };
  }
  async function pullLatest(signal, deadline = transport.deadline()) {
    const begun = begin();
    const known = latest;
    const operation = operationOf("GET", environmentTemplate, { ...asked, signal });
    try {
      const answer = await transport.send({
        ...operation,
        headers: known?.etag == null ? {} : { "if-none-match": known.etag },
        deadline
      });
      const isKnown = answer.status === 304 && known !== void 0;
      const pulled = { ...isKnown ? known : contentOf(answer), ...begun };
      if (latest === void 0 || latest.writes <= begun.writes) latest = pulled;
      return pulled;
    } catch (error2) {
      if (error2 instanceof HoldfastError && [401, 403, 404].includes(error2.status ?? 0)) latest = void 0;
      throw error2;
    }
  }
  async function pull2({ revision, keys, raw, signal, ...options }) {
    signal?.throwIfAborted();
    const writes = transport.writes();
    const more = { revision, keys: keys?.join(","), raw: raw || void 0 };
    if (Object.values(more).some((value) => value !== void 0)) {
      const id = JSON.stringify([writes, more]);
      return (await share(id, signal, (shared) => pullOnce(more, shared))).snapshot;
    }
    const { maxAgeMs = 0, staleIfErrorMs = 0 } = { ...cache, ...options };
    const known = latest;
    if (known?.writes === writes && isYounger(known, maxAgeMs)) return known.snapshot;
    try {
      return (await share(String(writes), signal, (shared) => pullLatest(shared))).snapshot;
    } catch (error2) {
      if (latest === void 0 || !isOutage(error2) || !isYounger(latest, staleIfErrorMs)) throw error2;
      return latest.snapshot.asStale();
    }
  }
  return { pull: pull2, pullOnce, pullLatest };
}
function isYounger({ at }, limitMs4) {
  const ageMs = Date.now() - at;
  return ageMs >= 0 && ageMs < limitMs4;
}
function isOutage(error2) {
  if (!(error2 instanceof HoldfastError)) return false;
  return error2.status === void 0 || error2.retryable || error2.status >= 500;
}

// clients/sdk/src/paged.ts
init_errors();
function paged(read, query) {
  const first = read(query);
  return Object.assign(first, { [Symbol.asyncIterator]: () => itemsOf(first, read, query) });
}
async function* itemsOf(first, read, query) {
  const seen = /* @__PURE__ */ new Set();
  for (let page = await first; ; ) {
    const items = listOf(page);
    for (const item of items) {
      const id = idOf(item);
      if (seen.has(id)) continue;
      seen.add(id);
      yield item;
    }
    const next = nextQuery(page, items.length);
    if (next === void 0) return;
    page = await read({ ...query, ...next });
  }
}
function listOf(page) {
  return Object.values(page).find(Array.isArray) ?? [];
}
function idOf(item) {
  return isObject(item) ? item.id ?? item.key ?? item.version ?? item.revision : item;
}
function nextQuery(page, count) {
  const { pagination, next, revision } = page;
  if (next) return typeof next === "number" || "proposals" in page ? { before: next } : { after: next };
  if (!pagination || count === 0) return void 0;
  const { limit, total } = pagination;
  const offset = pagination.offset + count;
  return offset < total ? { limit, offset, revision } : void 0;
}

// clients/sdk/src/pull.ts
init_errors();

// clients/sdk/src/snapshot.ts
init_errors();
var Snapshot = class _Snapshot {
  revision;
  /** True if the service was unreachable and `staleIfErrorMs` allowed an earlier answer. */
  stale;
  #values;
  #expanding;
  constructor(revision, values, stale, expanding = /* @__PURE__ */ new Set()) {
    this.revision = revision;
    this.stale = stale;
    this.#values = values;
    this.#expanding = expanding;
    Object.freeze(this);
  }
  has(key) {
    return this.#values.has(key);
  }
  get(key) {
    return this.#values.get(key);
  }
  /** @throws HoldfastError `secret_not_found` if the key is not set; an empty value counts as set */
  require(key) {
    const value = this.#values.get(key);
    if (value === void 0) {
      throw new HoldfastError(`${key} is not set at revision ${this.revision}.`, { code: "secret_not_found" });
    }
    return value;
  }
  /** Whether the key was set with `expand`, and so may name other keys. */
  expands(key) {
    return this.#expanding.has(key);
  }
  /** The keys, in the service's order. */
  keys() {
    return [...this.#values.keys()];
  }
  /** A new object with all values. It has no prototype, so a key like `constructor` exists only if it was set. */
  toObject() {
    const values = /* @__PURE__ */ Object.create(null);
    for (const [key, value] of this.#values) values[key] = value;
    return values;
  }
  toJSON() {
    return { revision: this.revision, keys: this.keys() };
  }
  /** Used by `console.log` and `util.inspect` in Node. */
  [/* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom")]() {
    return this.toJSON();
  }
  /** The same values, marked as stale. */
  asStale() {
    return new _Snapshot(this.revision, this.#values, true, this.#expanding);
  }
};

// clients/sdk/src/pull.ts
function createPuller(transport, cache, path2) {
  const latest = createLatest(transport, cache, { path: path2 }, pulledOf);
  function lookByPull({ set = /* @__PURE__ */ new Map(), deleted = [] }, found) {
    const isExpanding = [...set.values()].some((put) => "value" in put && put.expand === true);
    return async (after, { signal, deadline }) => {
      const pulled = await (isExpanding ? latest.pullOnce({ raw: true }, signal, deadline) : latest.pullLatest(signal, deadline));
      const { snapshot } = pulled;
      const isThere = ([key, put]) => "value" in put && snapshot.get(key) === put.value && snapshot.expands(key) === (put.expand ?? false);
      const isAsWanted = [...set].every(isThere) && !deleted.some((key) => snapshot.has(key));
      if (isAsWanted) return found(pulled);
      if (after instanceof RevisionMismatch && after.currentRevision === snapshot.revision)
        after.outcomeUnknown = false;
      return void 0;
    };
  }
  return { pull: latest.pull, lookByPull };
}
function pulledOf(answer) {
  const { secrets, revision } = secretsIn(answer);
  const snapshot = new Snapshot(revision, valuesOf(secrets), false, expandingAmong(secrets));
  return { secrets, snapshot, etag: answer.headers.get("etag") };
}
function secretsIn({ body }) {
  if (!isObject(body) || !Number.isInteger(body.revision) || !Array.isArray(body.secrets)) throw notThePull();
  for (const secret of body.secrets) {
    if (!isObject(secret) || typeof secret.key !== "string" || typeof secret.value !== "string") throw notThePull();
  }
  return { secrets: body.secrets, revision: body.revision };
}
var valuesOf = (secrets) => new Map(secrets.map(({ key, value }) => [key, value]));
var expandingAmong = (secrets) => new Set(secrets.filter(({ expand }) => expand === true).map(({ key }) => key));
function notThePull() {
  return new GatewayError("The response is not from a Holdfast service.", { code: "gateway_error", status: 200 });
}

// clients/sdk/src/watch.ts
init_errors();
function watchPulls(pull2, versionOf, options) {
  const { intervalMs = 1e4 } = options;
  if (!(intervalMs > 0)) throw new RangeError("intervalMs must be above 0.");
  return poll(pull2, versionOf, intervalMs, options);
}
async function* poll(pull2, versionOf, intervalMs, { signal, onError }) {
  const options = { maxAgeMs: 0, staleIfErrorMs: 0, ...signal === void 0 ? {} : { signal } };
  let last;
  while (!signal?.aborted) {
    let waitMs = intervalMs;
    try {
      const snapshot = await pull2(options);
      if (versionOf(snapshot) !== last) {
        last = versionOf(snapshot);
        yield snapshot;
      }
    } catch (error2) {
      if (signal?.aborted) return;
      if (last === void 0 || !mayPass(error2)) throw error2;
      onError?.(error2);
      waitMs = Math.max(waitMs, error2.retryAfterMs ?? 0);
    }
    try {
      await pause(waitMs, signal);
    } catch {
      return;
    }
  }
}
function mayPass(error2) {
  return isOutage(error2) || error2 instanceof HoldfastError && error2.code === "assertion_replayed";
}

// clients/sdk/src/write.ts
init_errors();
async function write(transport, { method, template, options, ifVersion, look }) {
  const deadline = transport.deadline();
  try {
    return (await transport.send({ ...operationOf(method, template, options), deadline })).body;
  } catch (error2) {
    if (!(error2 instanceof HoldfastError) || !error2.outcomeUnknown) throw error2;
    const mayBeOwn = error2 instanceof RevisionMismatch && error2.currentRevision === Number(options.ifRevision) + 1 || error2 instanceof VersionMismatch && error2.currentVersion === Number(ifVersion) + 1 || error2.code === "secret_not_found";
    if (!mayBeOwn) throw error2;
    const found = await look(error2, { signal: options.signal, deadline }).catch((failure) => {
      if (failure instanceof HoldfastError) return void 0;
      throw failure;
    });
    if (found === void 0) throw error2;
    return found;
  }
}
var Plan = class {
  created;
  updated;
  unchanged;
  deleted;
  /** Keys that the target already has (promotion without `overwrite`), or keys to delete that do not exist. */
  skipped;
  /** The plan's base revision, which `apply` requires. */
  revision;
  #apply;
  constructor({ plan: plan2, revision }, apply) {
    this.created = plan2.created;
    this.updated = plan2.updated;
    this.unchanged = plan2.unchanged;
    this.deleted = plan2.deleted;
    this.skipped = plan2.skipped;
    this.revision = revision;
    this.#apply = apply;
  }
  /** Applies the change to the base revision. @throws RevisionMismatch if the environment has changed since */
  apply({ signal } = {}) {
    return this.#apply(signal);
  }
};
async function dryRun(transport, { method, template, options }, deadline) {
  const dry = operationOf(method, template, { ...options, query: { ...options.query, dryRun: true } });
  const { body, status } = await transport.send({ ...dry, deadline });
  if (isObject(body) && body.dryRun === true && isObject(body.plan)) return body;
  throw new GatewayError("The service did not answer with a plan.", { code: "gateway_error", status });
}
async function plan(transport, change) {
  const answer = await dryRun(transport, change);
  return new Plan(
    answer,
    (signal) => write(transport, { ...change, options: { ...change.options, ifRevision: answer.revision, signal } })
  );
}
function lookByDryRun(transport, { method, template, options }, found) {
  return async (_, { signal, deadline }) => {
    const unconditional = { ...options, ifRevision: void 0, signal };
    const answer = await dryRun(transport, { method, template, options: unconditional }, deadline);
    const { created, updated, deleted } = answer.plan;
    return created.length + updated.length + deleted.length === 0 ? found(answer) : void 0;
  };
}

// clients/sdk/src/environment.ts
var Environment = class {
  organization;
  project;
  slug;
  #transport;
  #path;
  #puller;
  constructor(transport, cache, path2) {
    this.organization = path2.orgSlug;
    this.project = path2.project;
    this.slug = path2.env;
    this.#transport = transport;
    this.#path = path2;
    this.#puller = createPuller(transport, cache, path2);
  }
  /** All secrets, as one revision. Sends `If-None-Match`: an unchanged environment costs a 304. */
  pull(options = {}) {
    return this.#puller.pull(options);
  }
  /** The keys with their versions, without values. Returned whole unless `limit` asks for pages. */
  keys({ signal, ...query } = {}) {
    return paged((page) => this.#read(`${environmentTemplate}/keys`, { query: page, signal }), query);
  }
  /** The versions of a key, newest first. `values` asks for their values, which is audited. */
  history(key, { signal, ...query } = {}) {
    const template = `${environmentTemplate}/versions/{key}`;
    return paged((page) => this.#read(template, { path: { key }, query: page, signal }), query);
  }
  /** Who changed what and why, newest first. */
  revisions({ signal, ...query } = {}) {
    return paged((page) => this.#read(`${environmentTemplate}/revisions`, { query: page, signal }), query);
  }
  /** What changed between two revisions; `to` defaults to the current one. */
  diff(from, to, { signal, values } = {}) {
    return this.#read(`${environmentTemplate}/diff`, { query: { from, to, values }, signal });
  }
  /** What differs from another environment of the project. */
  compare(other, { signal, values } = {}) {
    return this.#read(`${environmentTemplate}/compare`, { query: { with: other, values }, signal });
  }
  /** Checks the environment against the project's template. */
  validate({ signal } = {}) {
    return this.#read("/v1/templates/{orgSlug}/{project}/validate/{env}", { signal });
  }
  async set(key, value, options = {}) {
    const { ifVersion, message, expand, ...rest } = options;
    const set = mapOf({ [key]: expand === true ? { value, expand } : value });
    return await write(this.#transport, {
      method: "PUT",
      template: environmentTemplate,
      options: { ...rest, path: this.#path, body: { key, value, expand, expectedVersion: ifVersion, message } },
      ifVersion,
      look: this.#puller.lookByPull({ set }, ({ secrets, snapshot: { revision } }) => {
        const { value: _, expand: __, ...secret } = secrets.find((entry) => entry.key === key);
        return { secret, changed: false, revision };
      })
    });
  }
  /**
   * Lets the service make a random value, which it never shows: a new version each time. If a response is lost, the
   * retry makes another one, unless `ifVersion` prevents that.
   */
  async generate(key, options = {}) {
    const { ifVersion, message, length, alphabet, ...rest } = options;
    return await write(this.#transport, {
      method: "PUT",
      template: environmentTemplate,
      options: {
        ...rest,
        path: this.#path,
        body: { key, generate: { length, alphabet }, expectedVersion: ifVersion, message }
      },
      ifVersion,
      look: async () => void 0
    });
  }
  /** Sets the given secrets as one revision. Other keys keep their values. */
  async import(values, options = {}) {
    const { message, ...rest } = options;
    const set = mapOf(values);
    return await write(this.#transport, {
      method: "POST",
      template: `${environmentTemplate}/bulk`,
      options: { ...rest, path: this.#path, body: { secrets: listOf2(set), message } },
      look: this.#puller.lookByPull({ set }, ({ snapshot: { revision } }) => {
        return { created: [], updated: [], unchanged: [...set.keys()], revision };
      })
    });
  }
  /**
   * Sets the secrets of a dotenv text as one revision. The service parses the text: as the tool of the `dialect` does, or
   * by its own rules.
   */
  importDotenv(dotenv2, options = {}) {
    const { message, dialect, ...rest } = options;
    const change = {
      method: "POST",
      template: `${environmentTemplate}/bulk`,
      options: { ...rest, path: this.#path, body: { dotenv: dotenv2, dialect, message } }
    };
    const look = lookByDryRun(this.#transport, change, (answer) => {
      return { ...nothingLeft(answer), ...answer.ambiguous && { ambiguous: answer.ambiguous } };
    });
    return write(this.#transport, { ...change, look });
  }
  /**
   * Deletes the keys as one revision. A single key uses the operation that developers may also call, and a missing
   * key is `secret_not_found`. With several keys, `notFound` lists the missing ones.
   */
  async delete(keys, options = {}) {
    const { message, ...rest } = options;
    const wanted = { deleted: keys };
    const [key] = keys;
    if (key === void 0 || keys.length > 1) {
      return await write(this.#transport, {
        method: "POST",
        template: `${environmentTemplate}/bulk-delete`,
        options: { ...rest, path: this.#path, body: { keys, message } },
        look: this.#puller.lookByPull(wanted, ({ snapshot: { revision: revision2 } }) => {
          return { deleted: [], notFound: [...keys], revision: revision2 };
        })
      });
    }
    const { revision } = await write(this.#transport, {
      method: "DELETE",
      template: `${environmentTemplate}/{key}`,
      options: { ...rest, path: { ...this.#path, key }, query: { message } },
      look: this.#puller.lookByPull(wanted, (pulled) => ({ revision: pulled.snapshot.revision }))
    });
    return { deleted: [key], notFound: [], revision };
  }
  /**
   * What setting and deleting these keys as one revision would do; `apply` makes the change if the revision is still
   * current.
   */
  async plan({ set = {}, delete: deleted = [], message }, { signal } = {}) {
    const values = newMapOf(set);
    const body = {
      ...values.size === 0 ? {} : { set: listOf2(values) },
      ...deleted.length === 0 ? {} : { delete: deleted },
      message
    };
    return await plan(this.#transport, {
      method: "POST",
      template: `${environmentTemplate}/changes`,
      options: { path: this.#path, body, signal },
      look: this.#puller.lookByPull({ set: values, deleted }, ({ snapshot: { revision } }) => {
        return { created: [], updated: [], unchanged: [...values.keys()], deleted: [...deleted], revision };
      })
    });
  }
  /** Restores the environment, or some of its keys, to an earlier revision, as one new revision. */
  restore(revision, options = {}) {
    return write(this.#transport, this.#restoration(revision, options));
  }
  planRestore(revision, options = {}) {
    return plan(this.#transport, this.#restoration(revision, options));
  }
  /**
   * Yields the current secrets, then every new revision, until the signal aborts. Throws if the first
   * pull fails. Later it throws only permanent errors (401, 403, 404), not temporary ones such as an outage.
   */
  watch(options = {}) {
    return watchPulls(
      (pullOptions) => this.pull(pullOptions),
      ({ revision }) => revision,
      options
    );
  }
  async #read(template, { path: path2, ...options }) {
    const operation = operationOf("GET", template, { ...options, path: { ...this.#path, ...path2 } });
    return (await this.#transport.send(operation)).body;
  }
  #restoration(revision, { keys, message, ...rest }) {
    const change = {
      method: "POST",
      template: `${environmentTemplate}/restore`,
      options: { ...rest, path: this.#path, body: { revision, keys, message } }
    };
    const found = (answer) => ({ ...nothingLeft(answer), deleted: [], restored: revision });
    return { ...change, look: lookByDryRun(this.#transport, change, found) };
  }
};
function nothingLeft({ plan: { unchanged }, revision }) {
  return { created: [], updated: [], unchanged, revision };
}
function mapOf(values) {
  const map = /* @__PURE__ */ new Map();
  for (const [key, given] of Object.entries(values)) {
    const { value, expand } = typeof given === "object" && given !== null ? given : { value: given, expand: false };
    if (typeof value !== "string") throw new TypeError(`The value of ${key} must be a string.`);
    map.set(key, expand === true ? { value, expand } : { value });
  }
  return map;
}
function newMapOf(values) {
  const map = /* @__PURE__ */ new Map();
  for (const [key, given] of Object.entries(values)) {
    const isGenerated = typeof given === "object" && given !== null && "generate" in given;
    if (isGenerated) map.set(key, { generate: given.generate });
    else for (const [name, put] of mapOf(Object.fromEntries([[key, given]]))) map.set(name, put);
  }
  return map;
}
function listOf2(values) {
  return [...values].map(([key, put]) => ({ key, ...put }));
}

// clients/sdk/src/id-token-sources.ts
init_id_token_failure();

// clients/sdk/src/identity.ts
init_errors();
init_id_token_failure();
function audienceOf(identity) {
  return `holdfast:identity:${identity}`;
}
async function exchangeAssertion(options, assertion) {
  const { url, fetch: fetch2, userAgent: userAgent2, identity, organization } = options;
  const transport = createTransport({ url, fetch: fetch2, userAgent: userAgent2, retries: 0 });
  try {
    const { body } = await transport.send({
      method: "POST",
      path: "/v1/auth/exchange",
      body: { identityId: identity, organizationSlug: organization, subjectToken: assertion },
      repeatable: false
    });
    return body;
  } catch (error2) {
    if (error2 instanceof HoldfastError) error2.outcomeUnknown = false;
    throw error2;
  }
}
var replacedBeforeMs = 6e4;
function identityToken(options, assertion, exchange = exchangeAssertion) {
  let current;
  return async (rejected) => {
    const known = current;
    if (rejected !== void 0 && (await known?.issued.catch(() => void 0))?.token === rejected) {
      if (current === known) current = void 0;
    }
    if (current === void 0 || Date.now() >= current.replaceAt) {
      const issuing = (async () => exchange(options, await assertion.get(), rejected))();
      const mine = { issued: issuing, replaceAt: Number.POSITIVE_INFINITY };
      current = mine;
      issuing.then(
        ({ expiresAt }) => {
          mine.replaceAt = Date.parse(expiresAt) - replacedBeforeMs;
        },
        () => {
          if (current === mine) current = void 0;
        }
      );
    }
    return (await current.issued).token;
  };
}
function checkIdToken(title, text) {
  const token = typeof text === "string" ? text.trim() : "";
  if (/^[\x20-\x7e]+$/.test(token)) return token;
  const problem = token === "" ? "no token" : "something other than a token";
  throw noIdToken(`${title} provided ${problem}: it must be one line of printable ASCII characters.`);
}

// clients/sdk/src/id-token-sources.ts
var idTokenSources = {
  command: {
    needs: ["HOLDFAST_ID_TOKEN_COMMAND"],
    toSet: "set HOLDFAST_ID_TOKEN_COMMAND to a command that prints the token",
    title: "HOLDFAST_ID_TOKEN_COMMAND",
    get: async (request) => (await Promise.resolve().then(() => (init_id_token_command(), id_token_command_exports))).runIdTokenCommand(request)
  },
  variable: {
    needs: ["HOLDFAST_ID_TOKEN"],
    toSet: "set HOLDFAST_ID_TOKEN to the token",
    title: "HOLDFAST_ID_TOKEN",
    get: async ({ variables }) => variables.HOLDFAST_ID_TOKEN ?? ""
  },
  file: {
    needs: ["HOLDFAST_ID_TOKEN_FILE"],
    toSet: "set HOLDFAST_ID_TOKEN_FILE to the path of a file that contains the token",
    title: "HOLDFAST_ID_TOKEN_FILE",
    get: async (request) => (await Promise.resolve().then(() => (init_id_token_file(), id_token_file_exports))).readIdToken(request)
  },
  github: {
    needs: ["ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"],
    toSet: "give the GitHub Actions job the permission id-token: write",
    title: "GitHub Actions",
    isAlwaysNew: true,
    get: async (request) => (await Promise.resolve().then(() => (init_id_token_github(), id_token_github_exports))).askGitHub(request)
  },
  aws: {
    needs: [],
    toSet: "set HOLDFAST_ID_TOKEN_SOURCE to aws on AWS",
    title: "AWS STS",
    isAlwaysNew: true,
    get: async (request) => (await Promise.resolve().then(() => (init_id_token_aws(), id_token_aws_exports))).askSts(request)
  },
  gcp: {
    needs: [],
    toSet: "set HOLDFAST_ID_TOKEN_SOURCE to gcp on Google Cloud",
    title: "Google’s metadata server",
    get: async (request) => (await Promise.resolve().then(() => (init_id_token_gcp(), id_token_gcp_exports))).askGoogle(request)
  }
};
var sources = new Map(Object.entries(idTokenSources));
function platformAssertion(identity, variables = globalThis.process?.env ?? {}, doFetch = (input, init) => globalThis.fetch(input, init)) {
  const { title, isAlwaysNew = false, get } = sourceIn(variables);
  const request = { audience: audienceOf(identity), variables, fetch: doFetch };
  return { source: title, isAlwaysNew, get: async () => checkIdToken(title, await get(request)) };
}
function sourceIn(variables) {
  const { HOLDFAST_ID_TOKEN_SOURCE: name } = variables;
  const missing = ({ needs }) => needs.filter((one) => !variables[one]);
  if (name) {
    const named = sources.get(name);
    if (named === void 0) {
      throw noIdToken(`HOLDFAST_ID_TOKEN_SOURCE names no source: set it to ${oneOf([...sources.keys()])}.`);
    }
    const [absent] = missing(named);
    if (absent === void 0) return named;
    throw noIdToken(`HOLDFAST_ID_TOKEN_SOURCE is ${name}, but ${absent} is not set: ${named.toSet}.`);
  }
  const all = [...sources.values()];
  const found = all.find((source) => source.needs.length > 0 && missing(source).length === 0);
  if (found !== void 0) return found;
  throw noIdToken(
    `HOLDFAST_IDENTITY is set, but nothing provides its ID token: ${oneOf(all.map(({ toSet }) => toSet))}.`
  );
}
var oneOf = (all) => `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;

// clients/sdk/src/layers.ts
init_errors();
var LayeredSnapshot = class _LayeredSnapshot extends Snapshot {
  #layered;
  constructor(layered) {
    super(layered.layers.at(-1)?.revision ?? 0, layered.values, layered.stale, layered.expanding);
    this.#layered = layered;
  }
  /** The layers, the lowest one first. `revision` is that of the last one. */
  get layers() {
    return this.#layered.layers.map((layer) => ({ ...layer }));
  }
  /** The layer that the key's value comes from, as `organization/project/environment`; undefined if it is not set. */
  sourceOf(key) {
    return this.#layered.sources.get(key);
  }
  asStale() {
    return new _LayeredSnapshot({ ...this.#layered, stale: true });
  }
};
var mostBelow = 5;
function createLayersPuller(transport, cache, environments) {
  const names = environments.map(nameOf);
  const organizations = new Set(environments.map(({ organization }) => organization));
  const isOneRequest = organizations.size === 1 && new Set(names).size === names.length && names.length > 1;
  if (transport === void 0 || !isOneRequest || names.length > mostBelow + 1) {
    return (options) => pullSeparately(environments, options);
  }
  const pullTogether = togetherPuller(transport, cache, environments, names);
  let isTogether = true;
  return async (options) => {
    if (!isTogether) return pullSeparately(environments, options);
    try {
      return await pullTogether(options);
    } catch (error2) {
      if (!(error2 instanceof CannotTogether || isOfOlderService(error2) || isTooLarge(error2))) throw error2;
      isTogether = false;
      return pullSeparately(environments, options);
    }
  };
}
var CannotTogether = class extends Error {
};
function isOfOlderService(error2) {
  if (!(error2 instanceof HoldfastError) || error2.code !== "invalid_request" || !Array.isArray(error2.details))
    return false;
  return error2.details.some((one) => isObject(one) && one.path === "layers" && one.message === "is not a known field");
}
var isTooLarge = (error2) => error2 instanceof HoldfastError && error2.code === "payload_too_large";
var nameOf = ({ organization, project, slug }) => `${organization}/${project}/${slug}`;
function togetherPuller(transport, cache, environments, names) {
  const top = environments.at(-1);
  const below = environments.slice(0, -1).map(({ project, slug }) => `${project}/${slug}`);
  const asked = {
    path: { orgSlug: top.organization, project: top.project, env: top.slug },
    query: { layers: below.join(",") }
  };
  const prefix = `${top.organization}/`;
  const contentOf = (answer) => {
    const { secrets, revision } = secretsIn(answer);
    const etag = answer.headers.get("etag");
    const revisions = /^(?:W\/)?"([\d.]+)"$/.exec(etag ?? "")?.[1]?.split(".").map(Number) ?? [];
    if (revisions.length !== names.length || revisions.at(-1) !== revision) throw new CannotTogether();
    const sources2 = new Map(secrets.map(({ key, from }) => [key, `${prefix}${from}`]));
    if ([...sources2.values()].some((source) => !names.includes(source))) throw notThePull();
    const layers = names.map((name, index) => ({ name, revision: revisions[index] }));
    const layered = { layers, values: valuesOf(secrets), expanding: expandingAmong(secrets), sources: sources2, stale: false };
    return { snapshot: new LayeredSnapshot(layered), etag };
  };
  return createLatest(transport, cache, asked, contentOf).pull;
}
async function pullSeparately(environments, { keys, ...options }) {
  const pulled = await Promise.all(
    environments.map(async (one) => ({ name: nameOf(one), snapshot: await one.pull(options) }))
  );
  const all = new Map(
    pulled.flatMap(
      ({ name, snapshot }) => Object.entries(snapshot.toObject()).map(
        ([key, value]) => [key, { value, name, expands: snapshot.expands(key) }]
      )
    )
  );
  const missing = keys?.find((key) => !all.has(key));
  if (missing !== void 0) {
    throw new HoldfastError(`There is no secret ${missing} in any of these environments.`, {
      code: "secret_not_found",
      status: 404
    });
  }
  const shown = [...all].filter(([key]) => keys?.includes(key) ?? true).sort(([a], [b]) => a < b ? -1 : 1);
  return new LayeredSnapshot({
    layers: pulled.map(({ name, snapshot: { revision } }) => ({ name, revision })),
    values: new Map(shown.map(([key, { value }]) => [key, value])),
    expanding: new Set(shown.filter(([, { expands }]) => expands).map(([key]) => key)),
    sources: new Map(shown.map(([key, { name }]) => [key, name])),
    stale: pulled.some(({ snapshot: { stale } }) => stale)
  });
}

// clients/sdk/src/holdfast.ts
init_read_named_file();
var identityTimeoutMs = 9e4;
var keptEnvironments = 100;
function keptIn(map, id, create) {
  const known = map.get(id) ?? create();
  map.delete(id);
  map.set(id, known);
  const [oldest] = map.keys();
  if (map.size > keptEnvironments && oldest !== void 0) map.delete(oldest);
  return known;
}
var Holdfast = class _Holdfast {
  #transport;
  #cache;
  #environments = /* @__PURE__ */ new Map();
  #ownEnvironments = /* @__PURE__ */ new WeakSet();
  #layered = /* @__PURE__ */ new Map();
  constructor(options) {
    const { maxAgeMs = 0, staleIfErrorMs = 0 } = options;
    this.#transport = createTransport(options);
    this.#cache = { maxAgeMs, staleIfErrorMs };
  }
  /**
   * Uses the address in `HOLDFAST_URL` and the token in `HOLDFAST_TOKEN`, or else in the file `HOLDFAST_TOKEN_FILE`.
   * Without a token it signs in as the identity `HOLDFAST_IDENTITY` of the organization `HOLDFAST_ORG`, with the token
   * that `idToken` or the platform provides.
   */
  static fromEnvironment({ idToken, ...options } = {}) {
    const variables = globalThis.process?.env ?? {};
    const required2 = (name) => {
      const value = variables[name]?.trim();
      if (value === void 0 || value === "") throw new TypeError(`The environment variable ${name} is not set.`);
      return value;
    };
    const url = options.url ?? required2("HOLDFAST_URL");
    const { fetch: fetch2, userAgent: userAgent2 } = options;
    const { HOLDFAST_IDENTITY: identity } = variables;
    const token = options.token ?? tokenIn(variables);
    if (token !== void 0 || !(identity?.trim() || idToken)) {
      return new _Holdfast({ ...options, url, token: token ?? required2("HOLDFAST_TOKEN") });
    }
    const who = {
      url,
      organization: required2("HOLDFAST_ORG"),
      identity: required2("HOLDFAST_IDENTITY"),
      fetch: fetch2,
      userAgent: userAgent2
    };
    const assertion = idToken === void 0 ? platformAssertion(who.identity, variables, fetch2) : { get: async () => checkIdToken("idToken", await idToken(audienceOf(who.identity))) };
    return new _Holdfast({ tokenTimeoutMs: identityTimeoutMs, ...options, url, token: identityToken(who, assertion) });
  }
  /** The same names return the same object, so its pulls share requests and the latest answer. */
  environment(organization, project, environment) {
    return keptIn(this.#environments, JSON.stringify([organization, project, environment]), () => {
      const path2 = { orgSlug: organization, project, env: environment };
      const created = new Environment(this.#transport, this.#cache, path2);
      this.#ownEnvironments.add(created);
      return created;
    });
  }
  /**
   * Pulls several environments as one: where several have a key, the last one wins. Each one is audited on its own. If
   * one is refused, so is the whole. Up to six environments of one organization take one request.
   * @param environments the lowest layer first: environments, or their names as `organization/project/environment`
   */
  async layers(environments, options = {}) {
    return await this.#layersOf(environments)(options);
  }
  /** Like `Environment.watch`: yields the layers' secrets, then again after each new revision of any of them. */
  watchLayers(environments, options = {}) {
    return watchPulls(this.#layersOf(environments), ({ layers }) => JSON.stringify(layers), options);
  }
  /** @throws TypeError for an empty list, or a name that is not one of an environment */
  #layersOf(environments) {
    const names = environments.map((one) => typeof one === "string" ? one.split("/") : one);
    if (names.length === 0 || names.some((one) => Array.isArray(one) && one.length !== 3)) {
      throw new TypeError("Name layers as organization/project/environment.");
    }
    const found = names.map((one) => Array.isArray(one) ? this.environment(...one) : one);
    if (!found.every((one) => this.#ownEnvironments.has(one))) return createLayersPuller(void 0, this.#cache, found);
    const id = JSON.stringify(found.map(({ organization, project, slug }) => [organization, project, slug]));
    return keptIn(this.#layered, id, () => createLayersPuller(this.#transport, this.#cache, found));
  }
  project(organization, project) {
    return new Project(this.#transport, organization, project);
  }
  /** Any operation of `openapi.json`, typed by its method and path. @returns the answer's body */
  async request(method, path2, ...[options]) {
    const answer = await this.#transport.send(operationOf(method, path2, options));
    return answer.body;
  }
  /** Any list of `openapi.json` that comes in pages. `for await` goes through all of its items. */
  list(path2, ...[options]) {
    const { query = {}, ...given } = options ?? {};
    return paged((page) => this.request("GET", path2, { ...given, query: page }), query);
  }
};
function tokenIn(variables) {
  const token = variables.HOLDFAST_TOKEN?.trim();
  const path2 = variables.HOLDFAST_TOKEN_FILE?.trim();
  if (token || !path2) return token || void 0;
  return tokenInFile(path2);
}
var Project = class {
  organization;
  slug;
  #transport;
  constructor(transport, organization, slug) {
    this.#transport = transport;
    this.organization = organization;
    this.slug = slug;
  }
  /** Copies secrets to another environment of the project as one revision of it; `ifRevision` is the target's. */
  promote(options) {
    return write(this.#transport, this.#promotion(options));
  }
  planPromote(options) {
    return plan(this.#transport, this.#promotion(options));
  }
  #promotion({ ifRevision, signal, ...body }) {
    const path2 = { orgSlug: this.organization, project: this.slug };
    const change = {
      method: "POST",
      template: "/v1/secrets/{orgSlug}/{project}/promote",
      options: { path: path2, body, ifRevision, signal }
    };
    const found = ({ plan: { skipped, unchanged }, revision }) => ({
      promoted: [],
      skipped,
      unchanged,
      revision
    });
    return { ...change, look: lookByDryRun(this.#transport, change, found) };
  }
};

// clients/github-action/src/pull.ts
var userAgent = `holdfast-github-action/${"0.1.0"}`;
var announce = ({ error: error2, delayMs }) => info(`${error2.message} Trying again in ${Math.round(delayMs / 1e3)} s.`);
var mostNamedKeys = 100;
var signOutMs = 5e3;
async function pull(inputs, mask) {
  const { url, organization, project, environment, layers, identity, keys, waitMs } = inputs;
  if (!process.env.ACTIONS_ID_TOKEN_REQUEST_URL) {
    throw new Error("The job can’t get an ID token: give it the permission id-token: write.");
  }
  const assertion = platformAssertion(identity, { ...process.env, HOLDFAST_ID_TOKEN_SOURCE: "github" });
  const masked = (token2) => {
    mask(token2);
    return token2;
  };
  let isSignedIn = false;
  const token = identityToken(
    { url, organization, identity, userAgent },
    { get: async () => masked(await assertion.get()) },
    async (options, subject) => {
      const issued = await exchangeAssertion(options, subject);
      mask(issued.token);
      isSignedIn = true;
      return issued;
    }
  );
  const client = new Holdfast({ url, userAgent, token, tokenTimeoutMs: identityTimeoutMs, waitMs, onRetry: announce });
  const isShort = keys !== void 0 && keys.length <= mostNamedKeys;
  try {
    const names = [...layers, `${project}/${environment}`];
    const options = isShort ? { keys } : {};
    const layered = layers.length === 0 ? void 0 : await client.layers(
      names.map((name) => `${organization}/${name}`),
      options
    );
    const snapshot = layered ?? await client.environment(organization, project, environment).pull(options);
    for (const key of snapshot.keys()) mask(snapshot.require(key), key);
    const entries = (keys ?? snapshot.keys()).map((key) => [key, snapshot.require(key)]);
    const revisions = layered?.layers.map(({ revision }, index) => `${names[index]}@${revision}`).join();
    return { entries, revision: snapshot.revision, revisions };
  } finally {
    const signal = AbortSignal.timeout(signOutMs);
    if (isSignedIn) await client.request("DELETE", "/v1/auth/tokens/current", { signal }).catch(() => void 0);
  }
}

// clients/github-action/src/write-privately.ts
import { realpathSync } from "node:fs";
import { basename as basename2, dirname as dirname2, join as join2, resolve } from "node:path";

// clients/cli/src/replace-file.ts
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
function isWithin(path2, directory) {
  const way = relative(directory, path2);
  return !isAbsolute(way) && !/^\.\.(?:[/\\]|$)/.test(way);
}
function replaceFile(path2, text) {
  const temporary = join(dirname(path2), `.${basename(path2)}.${crypto.randomUUID()}`);
  try {
    writeFileSync(temporary, text, { mode: 384, flag: "wx", flush: true });
    chmodSync(temporary, 384);
    renameSync(temporary, path2);
  } catch (error2) {
    rmSync(temporary, { force: true });
    throw error2;
  }
}

// clients/github-action/src/write-privately.ts
function writePrivately(path2, text, workspace) {
  const target = resolve(workspace, path2);
  try {
    const directory = realpathSync(dirname2(target));
    if (isWithin(target, resolve(workspace)) && !isWithin(directory, realpathSync(workspace))) {
      throw new Error("a link leads out of the workspace");
    }
    replaceFile(join2(directory, basename2(target)), text);
  } catch (error2) {
    const { code, message } = error2;
    throw new Error(`${path2} can’t be written (${code ?? message}).`);
  }
}

// clients/github-action/src/run.ts
async function run() {
  const inputs = readInputs();
  const { GITHUB_WORKSPACE: workspace = process.cwd() } = process.env;
  requireRunner();
  http.setGlobalProxyFromEnv?.();
  const unmasked = [];
  const { entries, revision, revisions } = await pull(inputs, (secret, key) => {
    const masks = masksOf(secret, inputs.mask);
    for (const mask of masks) setSecret(mask);
    if (key !== void 0 && masks.length === 0 && secret.trim() !== "") unmasked.push(key);
  });
  if (inputs.exportsEnv) requireNone("exported", refusalsOf(github, entries, allowanceOf(inputs)));
  const text = inputs.file && textOf(inputs.file.format, entries, inputs);
  if (inputs.file !== void 0 && text !== void 0) writePrivately(inputs.file.path, text, workspace);
  if (inputs.exportsEnv) for (const [key, value] of entries) exportVariable(key, value);
  setOutput("revision", revision);
  if (revisions !== void 0) setOutput("revisions", revisions);
  if (unmasked.length > 0) {
    info(`Too short or too common to be masked: ${unmasked.join(", ")}. To mask them too: mask: all`);
  }
}
function requireRunner() {
  const missing = ["GITHUB_ENV", "GITHUB_OUTPUT"].filter((name) => !process.env[name]);
  if (missing.length > 0) throw new Error(`${missing.join(" and ")} is not set: run this as a step of GitHub Actions.`);
}
function textOf(name, entries, inputs) {
  const { project, environment } = inputs;
  const format = formats[name];
  if (format === void 0) throw new Error(`There is no format ${name}.`);
  requireNone(`written as ${name}`, refusalsOf(format, entries, allowanceOf(inputs)));
  const said = format.warning?.(entries);
  if (said !== void 0) warning(said);
  return format.write(entries, { project, environment });
}
var allowanceOf = ({ allowed }) => ({ allowed, option: (key) => `allow-name: ${key}` });
function requireNone(done, refusals) {
  if (refusals.length === 0) return;
  const named = refusals.map(({ key, reason }) => `${key} ${reason}`);
  throw new Error(`Nothing was ${done}, because ${named.join(", and ")}: choose others with the input keys.`);
}

// clients/github-action/src/main.ts
try {
  await run();
} catch (error2) {
  const message = error2 instanceof Error ? error2.message : String(error2);
  setFailed(message.split("\n")[0] ?? message);
}
/*! Bundled license information:

aws4fetch/dist/aws4fetch.esm.mjs:
  (**
   * @license MIT <https://opensource.org/licenses/MIT>
   * @copyright Michael Hart 2024
   *)
*/
