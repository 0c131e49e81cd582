/** Names that need --allow-name: setting one controls more than the program's own settings. */
interface DangerousNames {
  why: string;
  /** `*` stands for any characters, as in shell patterns. */
  patterns: readonly string[];
  /** Harmless names that match a pattern. */
  except?: readonly string[];
  /** Programs read these in upper and lower case. */
  anyCase?: true;
}

const words = (text: string): string[] => text.split(/\s+/);

/**
 * A developer may write production without being able to read it. These names would let them run their own code there,
 * or make its programs trust another party. The list follows the manuals of the loaders, shells, interpreters and tools
 * named in it; it is long because no rule can tell which names a program reads.
 */
export const dangerousNames: readonly DangerousNames[] = [
  {
    why: 'decides which program or library is loaded',
    patterns: words('PATH LD_* DYLD_* GCONV_PATH GETCONF_DIR LIBPATH SHLIB_PATH GLIBC_TUNABLES OPENSSL_* TERMINFO*'),
  },
  {
    why: 'makes a shell run code',
    patterns: words(
      'BASH_ENV BASH_FUNC_* BASH_LOADABLES_PATH ENV SHELLOPTS BASHOPTS PROMPT_COMMAND PS4 IFS CDPATH GLOBIGNORE SHELL ' +
        'ZDOTDIR FPATH',
    ),
  },
  {
    why: 'makes an interpreter run code',
    patterns: words(
      'PERL5* PERLLIB PERLIO_DEBUG RUBYOPT RUBYLIB RUBYSHELL GEM_HOME GEM_PATH BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_BIN ' +
        'NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE BUN_OPTIONS BUN_CONFIG_* DENO_CERT DENO_DIR DENO_TLS_* ' +
        'TS_NODE_* TSX_* ELECTRON_RUN_AS_NODE PHPRC PHP_INI_SCAN_DIR LUA_INIT* LUA_PATH* LUA_CPATH* AWKPATH AWKLIBPATH ' +
        'TCLLIBPATH R_PROFILE* R_ENVIRON* R_LIBS* JULIA_* GUILE_LOAD* ERL_*FLAGS ERL_LIBS ELIXIR_ERL_OPTIONS GHCRTS',
    ),
  },
  {
    why: 'makes Python run code or trust other parties',
    patterns: ['PYTHON*'],
    except: words(
      'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8 PYTHONIOENCODING PYTHONFAULTHANDLER',
    ),
  },
  {
    why: 'makes a Java or .NET program run code',
    patterns: words(
      'JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JDK_JAVAC_OPTIONS JAVA_OPTS JAVA_HOME CLASSPATH MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS GRADLE_USER_HOME ' +
        'ANT_OPTS SBT_OPTS CATALINA_OPTS DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_ROOT* ' +
        'CORECLR_* COR_* ASPNETCORE_HOSTINGSTARTUP*',
    ),
  },
  {
    why: 'names a command that another program runs',
    patterns: words(
      'GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND ' +
        'GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG* GIT_DIR GIT_WORK_TREE GIT_ALLOW_PROTOCOL GIT_ATTR_* SSH_ASKPASS* ' +
        'SUDO_ASKPASS EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE LESSKEY* RSYNC_RSH CVS_RSH ' +
        'MAKEFLAGS GNUMAKEFLAGS CC CXX LD AR RUSTC RUSTC_* RUSTDOC RUSTFLAGS CARGO_* GOFLAGS GOENV GOROOT GOTOOLCHAIN',
    ),
    except: words('CARGO_REGISTRY_TOKEN'),
  },
  {
    why: 'is a setting that npm or another package manager obeys',
    patterns: words(
      'npm_config_* YARN_YARN_PATH YARN_RC_FILENAME YARN_PLUGINS YARN_IGNORE_PATH PIP_* UV_*INDEX* UV_CONFIG_FILE COREPACK_*',
    ),
    anyCase: true,
  },
  {
    why: 'decides where programs look for their own settings',
    patterns: words('HOME XDG_* TMPDIR AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE KUBECONFIG CURL_HOME WGETRC NETRC'),
  },
  {
    why: 'redirects a program’s traffic',
    patterns: ['*_PROXY', 'NODE_USE_ENV_PROXY', 'AWS_ENDPOINT_URL*', 'DOCKER_HOST'],
    anyCase: true,
  },
  {
    why: 'decides whom a program trusts',
    patterns: words(
      'SSL_CERT_* SSLKEYLOGFILE NODE_TLS_REJECT_UNAUTHORIZED NODE_EXTRA_CA_CERTS CURL_CA_BUNDLE REQUESTS_CA_BUNDLE ' +
        'AWS_CA_BUNDLE GIT_SSL_* GRPC_DEFAULT_SSL_ROOTS_FILE_PATH GODEBUG GOPROXY GONOSUMDB GONOSUMCHECK GOSUMDB GOINSECURE ' +
        'HOSTALIASES LOCALDOMAIN RES_OPTIONS RESOLV_HOST_CONF KRB5_CONFIG',
    ),
  },
  { why: 'is a setting of holdfast itself', patterns: ['HOLDFAST_*'] },
];

/** @returns why this name needs --allow-name; undefined if it does not */
export function whyDangerous(name: string): string | undefined {
  return compiled.find(({ matches, except }) => matches.test(name) && !except.has(name))?.why;
}

const compiled = dangerousNames.map(({ why, patterns, except = [], anyCase }) => ({
  why,
  except: new Set(except),
  matches: new RegExp(
    `^(?:${patterns.map(pattern => pattern.replaceAll('*', '.*')).join('|')})$`,
    // Variable names are case-insensitive on Windows.
    anyCase || process.platform === 'win32' ? 'i' : '',
  ),
}));
